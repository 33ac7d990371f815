/** Edits (insert, delete, replace, swap of neighbors) that turn `a` into `b`: optimal string alignment distance. */
function editDistance(a: string, b: string): number {
  // cost[row][column] = edits between the first `row` letters of a and the first `column` of b
  const cost = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => cost[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    cost.push(current)
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const edits = [at(row - 1, column) + 1, at(row, column - 1) + 1]
      edits.push(at(row - 1, column - 1) + (isSame ? 0 : 1))
      if (isSwap) edits.push(at(row - 2, column - 2) + 1)
      current.push(Math.min(...edits))
    }
  }
  return at(a.length, b.length)
}

const LONGEST = 100 // characters compared; a name beyond that is not a typing slip

/**
 * The name that somebody most likely meant, or undefined when none is near: at most a third of its letters differ.
 * Upper and lower case count as the same letter here, though names themselves are compared exactly.
 */
export function findNearest(wanted: string, names: readonly string[]): string | undefined {
  const slim = wanted.slice(0, LONGEST).toLowerCase()
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    const distance = editDistance(slim, name.slice(0, LONGEST).toLowerCase())
    if (distance < least && distance <= Math.max(1, Math.floor(name.length / 3))) {
      nearest = name
      least = distance
    }
  }
  return nearest
}
