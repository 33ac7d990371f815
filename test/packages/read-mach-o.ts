// An independent reader of executables for macOS: shares nothing with packaging/sign-mach-o.ts. What it checks is what dyld and the kernel
// refuse: the layout of segments and of their contents, the code directory and every page hash, and what entitlements ask for.
// The forms: Apple's <mach-o/loader.h> and <kern/cs_blobs.h> (XNU, "bsd/kern/ubc_subr.c" for the checks of the directory).
import { createHash } from 'node:crypto'

const SEGMENT = 0x19
const SIGNATURE = 0x1d
const MAIN = 0x80000028
const SYMBOLS = 0x2
/** Load commands that point to data in __LINKEDIT: `[offset, size]` at byte 8. */
const LINKED = new Map([
  [0x26, 'function starts'],
  [0x29, 'data in code'],
  [0x80000033, 'exports'],
  [0x80000034, 'fixups'],
])
const ARM64 = 0x100000c
const ZERO_FILLED = [0x1, 0xc, 0x12] // section types without bytes in the file
const RUNTIME = 0x10000 // CS_RUNTIME, "hardened runtime": code that is made at run time needs an entitlement then
const JIT = 'com.apple.security.cs.allow-jit'

/** An executable's description of itself, and all its faults. */
export interface MachO {
  readonly cpu: 'arm64' | 'x64'
  /** The program's own name in the signature. */
  readonly identifier: string
  readonly flags: number
  /** Pages whose hash was checked. */
  readonly pages: number
  readonly segments: readonly string[]
  /** Undefined = it has none. */
  readonly entitlements: string | undefined
  readonly problems: readonly string[]
}

interface Segment {
  readonly name: string
  readonly at: bigint
  readonly size: bigint
  readonly from: bigint
  readonly length: bigint
}

/** Reads and checks a 64-bit executable. @throws RangeError or Error when it is cut or of another kind */
export function readMachO(bytes: Buffer): MachO {
  if (bytes.readUInt32LE(0) !== 0xfeedfacf) throw new Error('not a 64-bit Mach-O file')
  const problems: string[] = []
  const cpu = bytes.readUInt32LE(4) === ARM64 ? 'arm64' : 'x64'
  const commandBytes = bytes.readUInt32LE(20)
  const commands = listCommands(bytes, problems)
  const end = commands.reduce((at, { size }) => at + size, 32)
  blame(
    problems,
    end !== 32 + commandBytes,
    `load commands end at ${end}, not ${32 + commandBytes}`,
  )
  blame(problems, !commands.some(({ kind }) => kind === MAIN), 'no entry point')
  const ofSegments = commands.filter(({ kind }) => kind === SEGMENT)
  const segments = ofSegments.map(({ at }) => readSegment(bytes, at))
  for (const [index, { at }] of ofSegments.entries()) {
    const first = checkSections(bytes, at, segments[index] as Segment, problems)
    blame(problems, end > first, 'load commands reach into the first section')
  }
  checkSegments(bytes, segments, cpu === 'arm64' ? 0x4000n : 0x1000n, problems)
  const place = commands.find(({ kind }) => kind === SIGNATURE)
  const signature = {
    at: place === undefined ? 0 : bytes.readUInt32LE(place.at + 8),
    size: place === undefined ? 0 : bytes.readUInt32LE(place.at + 12),
  }
  const edit = Number(segments.find(({ name }) => name === '__LINKEDIT')?.from ?? 0)
  for (const [name, from, length] of commands.flatMap(({ kind, at }) =>
    listLinked(bytes, kind, at),
  )) {
    const isInside =
      length === 0 || (from >= edit && from + length <= (signature.at || bytes.length))
    blame(problems, !isInside, `${name} lie outside of __LINKEDIT or in the signature`)
  }
  const text = segments.find(({ name }) => name === '__TEXT')
  const signed = checkSignature(bytes, signature, text, problems)
  return { cpu, ...signed, segments: segments.map(({ name }) => name), problems }
}

function listCommands(bytes: Buffer, problems: string[]) {
  const commands: { kind: number; at: number; size: number }[] = []
  let at = 32
  for (let count = bytes.readUInt32LE(16); count > 0; count -= 1) {
    const [kind, size] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
    blame(problems, size < 8 || size % 8 !== 0, `a load command has ${size} bytes`)
    commands.push({ kind, at, size: Math.max(size, 8) })
    at += Math.max(size, 8)
  }
  return commands
}

/** Lists the parts of a load command in __LINKEDIT: name, place and length. */
function listLinked(
  bytes: Buffer,
  kind: number,
  at: number,
): readonly (readonly [string, number, number])[] {
  const word = (offset: number) => bytes.readUInt32LE(at + offset)
  if (kind === SYMBOLS)
    return [
      ['symbols', word(8), word(12) * 16],
      ['strings', word(16), word(20)],
    ]
  const name = LINKED.get(kind)
  return name === undefined ? [] : [[name, word(8), word(12)]]
}

function readSegment(bytes: Buffer, at: number): Segment {
  const long = (offset: number) => bytes.readBigUInt64LE(at + offset)
  return {
    name: readText(bytes, at + 8, 16),
    at: long(24),
    size: long(32),
    from: long(40),
    length: long(48),
  }
}

function blame(problems: string[], isWrong: boolean, problem: string): void {
  if (isWrong) problems.push(problem)
}

function readText(bytes: Buffer, at: number, most = 1_000): string {
  const end = bytes.indexOf(0, at)
  return bytes.toString('latin1', at, Math.min(end < 0 ? at + most : end, at + most))
}

/** Gives where the first of them begins in the file. */
function checkSections(
  bytes: Buffer,
  command: number,
  segment: Segment,
  problems: string[],
): number {
  let first = bytes.length
  for (let index = 0; index < bytes.readUInt32LE(command + 64); index += 1) {
    const at = command + 72 + 80 * index
    const name = `${segment.name},${readText(bytes, at, 16)}`
    const [address, size] = [bytes.readBigUInt64LE(at + 32), bytes.readBigUInt64LE(at + 40)]
    const offset = BigInt(bytes.readUInt32LE(at + 48))
    blame(
      problems,
      address < segment.at || address + size > segment.at + segment.size,
      `${name} is mapped outside of its segment`,
    )
    if (offset === 0n || ZERO_FILLED.includes(bytes.readUInt32LE(at + 64) & 0xff)) continue
    first = Math.min(first, Number(offset))
    blame(
      problems,
      offset < segment.from || offset + size > segment.from + segment.length,
      `${name} lies outside of its segment`,
    )
    blame(problems, offset - segment.from !== address - segment.at, `${name} is mapped elsewhere`)
  }
  return first
}

function checkSegments(
  bytes: Buffer,
  segments: readonly Segment[],
  page: bigint,
  problems: string[],
): void {
  for (const [index, one] of segments.entries()) {
    blame(
      problems,
      one.at % page !== 0n || one.size % page !== 0n,
      `${one.name} is not mapped in pages`,
    )
    blame(problems, one.length > 0n && one.from % page !== 0n, `${one.name} begins within a page`)
    blame(problems, one.length > one.size, `${one.name} is larger in the file than in memory`)
    blame(
      problems,
      one.from + one.length > BigInt(bytes.length),
      `${one.name} reaches beyond the file`,
    )
    for (const other of segments.slice(index + 1)) {
      blame(
        problems,
        one.at < other.at + other.size && other.at < one.at + one.size,
        `${one.name} and ${other.name} overlap in memory`,
      )
      blame(
        problems,
        one.from < other.from + other.length && other.from < one.from + one.length,
        `${one.name} and ${other.name} overlap in the file`,
      )
    }
  }
  const last = segments.at(-1)
  blame(problems, last?.name !== '__LINKEDIT', '__LINKEDIT is not the last segment')
  const end = (last?.from ?? 0n) + (last?.length ?? 0n)
  blame(problems, end !== BigInt(bytes.length), '__LINKEDIT does not end the file')
  blame(
    problems,
    segments.some(({ at }) => at > (last?.at ?? 0n)),
    'a segment is mapped behind __LINKEDIT',
  )
}

function checkSignature(
  bytes: Buffer,
  signature: { readonly at: number; readonly size: number },
  text: Segment | undefined,
  problems: string[],
) {
  const found = {
    identifier: '',
    flags: 0,
    pages: 0,
    entitlements: undefined as string | undefined,
  }
  const { at, size } = signature
  blame(problems, at === 0, 'not signed')
  if (at === 0) return found
  blame(problems, at % 16 !== 0, 'the signature begins within 16 bytes')
  blame(problems, at + size !== bytes.length, 'the signature does not end the file')
  blame(problems, bytes.readUInt32BE(at) !== 0xfade0cc0, 'no signature where one is announced')
  blame(problems, bytes.readUInt32BE(at + 4) > size, 'the signature is longer than its place')
  for (let index = 0; index < bytes.readUInt32BE(at + 8); index += 1) {
    const blob = at + bytes.readUInt32BE(at + 12 + 8 * index + 4)
    const magic = bytes.readUInt32BE(blob)
    if (magic === 0xfade7171)
      // entitlements, as a property list
      found.entitlements = bytes.toString('utf8', blob + 8, blob + bytes.readUInt32BE(blob + 4))
    if (magic === 0xfade0c02) Object.assign(found, checkDirectory(bytes, blob, at, text, problems))
  }
  blame(problems, found.pages === 0, 'the signature holds no code directory')
  blame(
    problems,
    (found.flags & RUNTIME) !== 0 && !found.entitlements?.includes(JIT),
    'hardened, and not allowed to make code: V8 could not run',
  )
  return found
}

function checkDirectory(
  bytes: Buffer,
  at: number,
  signatureAt: number,
  text: Segment | undefined,
  problems: string[],
) {
  const word = (offset: number) => bytes.readUInt32BE(at + offset)
  const [version, flags, hashes, name, slots, limit] = [8, 12, 16, 20, 28, 32].map(word) as [
    ...[number, number, number, number, number, number],
  ]
  const [length = 0, type = 0, , exponent = 0] = bytes.subarray(at + 36, at + 40)
  const page = 2 ** exponent
  blame(problems, limit !== signatureAt, `${limit} bytes are signed, of ${signatureAt}`)
  blame(problems, slots !== Math.ceil(limit / page), `${slots} page hashes for ${limit} bytes`)
  blame(problems, hashes + slots * length > word(4), 'page hashes lie outside of the directory')
  const algorithm = { 1: 'sha1', 2: 'sha256', 4: 'sha384' }[type]
  blame(problems, algorithm === undefined, `hashes of the unknown kind ${type}`)
  let wrong = 0
  for (let slot = 0; slot < slots && algorithm !== undefined; slot += 1) {
    const content = bytes.subarray(slot * page, Math.min((slot + 1) * page, limit))
    const hash = createHash(algorithm).update(content).digest().subarray(0, length)
    const kept = bytes.subarray(at + hashes + slot * length, at + hashes + (slot + 1) * length)
    if (!hash.equals(kept)) wrong += 1
  }
  blame(problems, wrong > 0, `${wrong} of ${slots} page hashes are wrong`)
  if (version >= 0x20400) {
    const [base, size] = [bytes.readBigUInt64BE(at + 64), bytes.readBigUInt64BE(at + 72)]
    blame(problems, base !== text?.from || size !== text.length, 'the signed code is not __TEXT')
  }
  return { identifier: readText(bytes, at + name), flags, pages: slots }
}
