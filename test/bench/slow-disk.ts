import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Least time of a flush of a memory card: 3 to 30 ms are reported for cards of class A1. Servers' disks flush into a memory that outlives a
 * power cut, at almost no cost, and show what a program takes, not what a box does.
 */
export const CARD_FLUSH_MS = 5

/** A card does one flush after the other; the program's own are made, too. */
const SHIM = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t card = PTHREAD_MUTEX_INITIALIZER;
static int flush(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct timespec rest = {0, ${CARD_FLUSH_MS} * 1000000L};
  pthread_mutex_lock(&card);
  nanosleep(&rest, 0);
  int result = real(fd);
  pthread_mutex_unlock(&card);
  return result;
}
int fsync(int fd) { return flush("fsync", fd); }
int fdatasync(int fd) { return flush("fdatasync", fd); }
`

/** Variables with which a program has such a disk. */
export interface SlowDisk {
  readonly variables: Readonly<Record<string, string>>
  dispose(): void
}

/** Undefined, and a sentence, where it cannot be made: it needs Linux and a C compiler. */
export function makeSlowDisk(): SlowDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-card-'))
  const dispose = (): void => rmSync(folder, { recursive: true })
  const [source, library] = [join(folder, 'card.c'), join(folder, 'card.so')]
  writeFileSync(source, SHIM)
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  if (process.platform === 'linux' && made.status === 0)
    return { variables: { LD_PRELOAD: library }, dispose }
  process.stdout.write('  No rows of a memory card: they need Linux and a C compiler (cc).\n')
  dispose()
  return undefined
}
