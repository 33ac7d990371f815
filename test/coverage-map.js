import { globSync } from 'node:fs'

// Coverage is of the sources alone: the bundle, which some tests run too, is made of them.
const sources = globSync('src/**/*.ts')

/** What any test may cover (the coverage-map of tap). */
export default () => sources
