/** The content of the label that ends the program; in a file of its own, because the child imports it. */
export const POISON = 'POISON'
