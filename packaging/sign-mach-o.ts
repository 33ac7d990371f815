// Signs an executable for macOS ad hoc, as `codesign -s -` does on a Mac: Apple silicon starts nothing that is not signed,
// and what postject put into Node's executable breaks the signature that it came with.
//   usage: node sign-mach-o.ts FILE [IDENTIFIER]      changes the file in place
// The forms: <mach-o/loader.h> and <kern/cs_blobs.h> of Apple's XNU; the same bytes as Go's linker writes (cmd/internal/codesign).
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const MAGIC_64 = 0xfeedfacf
const LC_SEGMENT_64 = 0x19
const LC_CODE_SIGNATURE = 0x1d
const HEADER_BYTES = 32
const COMMAND_BYTES = 16
const SECTION_BYTES = 80
const PAGE_BYTES = 4096
const VM_PAGE_BYTES = 16_384 // of Apple silicon; a multiple of Intel's
const HASH_BYTES = 32
const SUPER_BLOB_BYTES = 20 // with one entry
const DIRECTORY_BYTES = 88
const AD_HOC_BY_LINKER = 0x2_0002
const MAIN_BINARY = 1n

/** A load command, by its place in the file. */
interface Command {
  readonly kind: number
  readonly at: number
  readonly size: number
}

/** The parts of an executable that signing needs. */
interface Layout {
  /** The segment that holds the code, and the one that ends the file. */
  readonly text: Command
  readonly linkEdit: Command
  readonly signature: Command | undefined
  /** The end of the load commands, and the first byte behind them that is in use. */
  readonly commandsEnd: number
  readonly firstTaken: number
}

/**
 * The executable with a signature that every Mac accepts for running, and that says nothing of who made it.
 * @throws Error when the bytes are not a 64-bit Mach-O file, or have no room for the signature's load command
 */
export function signMachO(bytes: Buffer, identifier: string): Buffer {
  const { signature } = readLayout(bytes)
  const whole =
    signature === undefined ? bytes : bytes.subarray(0, bytes.readUInt32LE(signature.at + 8))
  const codeEnd = align(whole.length, 16)
  const name = Buffer.from(`${identifier}\0`)
  const pages = Math.ceil(codeEnd / PAGE_BYTES)
  const size = SUPER_BLOB_BYTES + DIRECTORY_BYTES + name.length + pages * HASH_BYTES
  const signed = Buffer.alloc(codeEnd + size)
  whole.copy(signed)
  const layout = writeCommand(signed, codeEnd, size)
  stretchLinkEdit(signed, layout.linkEdit)
  writeSignature(signed, codeEnd, { name, pages, text: layout.text })
  return signed
}

function readLayout(bytes: Buffer): Layout {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC_64) {
    throw new Error(
      `the file begins with ${bytes.toString('hex', 0, 4)}, wanted a 64-bit Mach-O (cffaedfe)`,
    )
  }
  const commands = [...listCommands(bytes)]
  const named = (wanted: string): Command => {
    const found = commands.find(
      ({ kind, at }) =>
        kind === LC_SEGMENT_64 &&
        bytes.toString('latin1', at + 8, at + 8 + wanted.length + 1) === `${wanted}\0`,
    )
    if (found === undefined) throw new Error(`the executable has no segment ${wanted}`)
    return found
  }
  return {
    text: named('__TEXT'),
    linkEdit: named('__LINKEDIT'),
    signature: commands.find(({ kind }) => kind === LC_CODE_SIGNATURE),
    commandsEnd: HEADER_BYTES + bytes.readUInt32LE(20),
    firstTaken: Math.min(...listSectionOffsets(bytes, commands)),
  }
}

function* listCommands(bytes: Buffer): Generator<Command> {
  let at = HEADER_BYTES
  for (let left = bytes.readUInt32LE(16); left > 0; left -= 1) {
    const size = bytes.readUInt32LE(at + 4)
    yield { kind: bytes.readUInt32LE(at), at, size }
    at += size
  }
}

/** Sections that lie nowhere in the file (zeros) have the offset 0. */
function listSectionOffsets(bytes: Buffer, commands: readonly Command[]): readonly number[] {
  return commands
    .filter(({ kind }) => kind === LC_SEGMENT_64)
    .flatMap(({ at }) =>
      Array.from({ length: bytes.readUInt32LE(at + 64) }, (_, i) =>
        bytes.readUInt32LE(at + 72 + i * SECTION_BYTES + 48),
      ),
    )
    .filter((offset) => offset > 0)
}

/** Says where the signature lies, in the command that is there or in a new one behind the others. */
function writeCommand(bytes: Buffer, offset: number, size: number): Layout {
  const layout = readLayout(bytes)
  const at = layout.signature?.at ?? layout.commandsEnd
  if (layout.signature === undefined) {
    if (at + COMMAND_BYTES > layout.firstTaken) {
      throw new Error(
        `the load commands end at ${at} and the first section is at ${layout.firstTaken}: no room`,
      )
    }
    bytes.writeUInt32LE(bytes.readUInt32LE(16) + 1, 16)
    bytes.writeUInt32LE(bytes.readUInt32LE(20) + COMMAND_BYTES, 20)
  }
  bytes.writeUInt32LE(LC_CODE_SIGNATURE, at)
  bytes.writeUInt32LE(COMMAND_BYTES, at + 4)
  bytes.writeUInt32LE(offset, at + 8)
  bytes.writeUInt32LE(size, at + 12)
  return readLayout(bytes)
}

/** The signature belongs to the last segment, which is stretched over it. */
function stretchLinkEdit(bytes: Buffer, { at }: Command): void {
  const length = bytes.length - Number(bytes.readBigUInt64LE(at + 40))
  bytes.writeBigUInt64LE(BigInt(length), at + 48)
  const known = Number(bytes.readBigUInt64LE(at + 32))
  const vmBytes = known >= length ? known : align(length, VM_PAGE_BYTES)
  bytes.writeBigUInt64LE(BigInt(vmBytes), at + 32)
}

/** A super blob with one entry, the code directory: a hash of each page of the file before it. */
function writeSignature(
  bytes: Buffer,
  codeEnd: number,
  { name, pages, text }: { readonly name: Buffer; readonly pages: number; readonly text: Command },
): void {
  const blob = bytes.subarray(codeEnd)
  const words = (at: number, values: readonly number[]): void => {
    values.forEach((value, i) => void blob.writeUInt32BE(value, at + 4 * i))
  }
  const at = SUPER_BLOB_BYTES
  const hashesAt = DIRECTORY_BYTES + name.length
  words(0, [0xfade0cc0, blob.length, 1, 0, at])
  words(at, [
    0xfade0c02,
    blob.length - at,
    0x20400,
    AD_HOC_BY_LINKER,
    hashesAt,
    DIRECTORY_BYTES,
    0,
    pages,
    codeEnd,
  ])
  blob.set([HASH_BYTES, 2, 0, Math.log2(PAGE_BYTES)], at + 36) // 2 = SHA-256
  blob.writeBigUInt64BE(bytes.readBigUInt64LE(text.at + 40), at + 64)
  blob.writeBigUInt64BE(bytes.readBigUInt64LE(text.at + 48), at + 72)
  blob.writeBigUInt64BE(MAIN_BINARY, at + 80)
  name.copy(blob, at + DIRECTORY_BYTES)
  for (let page = 0; page < pages; page += 1) {
    const content = bytes.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, codeEnd))
    createHash('sha256')
      .update(content)
      .digest()
      .copy(blob, at + hashesAt + page * HASH_BYTES)
  }
}

function align(value: number, to: number): number {
  return Math.ceil(value / to) * to
}

if (import.meta.main) {
  const [file, identifier = 'platen'] = process.argv.slice(2)
  if (file === undefined) throw new Error('usage: node sign-mach-o.ts FILE [IDENTIFIER]')
  writeFileSync(file, signMachO(readFileSync(file), identifier))
}
