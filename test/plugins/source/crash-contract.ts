/** What is in the label that ends the program; in a file of its own, for the child imports it. */
export const POISON = 'POISON'
