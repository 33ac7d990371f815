/** The environment of a child that is only a stand-in: neither coverage nor the loader of the test runner is wanted there. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { NODE_V8_COVERAGE, NODE_OPTIONS, ...env } = process.env
  return env
}
