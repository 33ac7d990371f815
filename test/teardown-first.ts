// To be imported by whatever keeps writing into a test's folder until its teardown: a spool, a server, a child process. tap
// removes the folder of t.testdir() before it runs the teardowns that were registered after it; while somebody still writes
// there, that fails now and then (ENOTEMPTY). A teardown that is registered before everything else turns the order around.

// A program of the tests that is not a test must not become one: tap would end it after its own 30 s. In a guest, guest.ts is the test.
if (/(\.test|\/vm\/guest)\.[jt]s$/.test(process.argv[1] ?? '')) {
  const { default: t } = await import('tap')
  t.beforeEach((each) => {
    each.teardown(() => undefined)
  })
}

export {}
