/** The characters that a label's bytes stand for. */

/** Code page 850 from 0x80 on (ZPL's ^CI0 to ^CI13 and EPL's I8 are near it). */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

/** @typedef {'cp850' | 'utf-8' | `windows-${number}`} Charset */

/**
 * @param {string} bytes a character a byte
 * @param {Charset} charset
 */
export function toText(bytes, charset) {
  if (!/[\x80-\xff]/.test(bytes)) return bytes
  if (charset === 'cp850') {
    return bytes.replace(/[\x80-\xff]/g, (byte) => CP850[byte.charCodeAt(0) - 128] ?? '?')
  }
  return new TextDecoder(charset).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
}

/** @param {Uint8Array} bytes @returns {string} a character a byte */
export function byteString(bytes) {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return text
}

/**
 * A zlib stream, as long as it stays below a bound.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {number} most
 * @returns {Promise<Uint8Array>}
 */
export async function inflate(bytes, most) {
  const source = new Response(bytes).body
  if (source === null) return new Uint8Array(0)
  const reader = source.pipeThrough(new DecompressionStream('deflate')).getReader()
  /** @type {Uint8Array[]} */
  const parts = []
  let length = 0
  while (length < most) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
    length += value.length
  }
  await reader.cancel()
  const all = new Uint8Array(Math.min(length, most))
  let at = 0
  for (const part of parts) {
    all.set(part.subarray(0, all.length - at), at)
    at += Math.min(part.length, all.length - at)
  }
  return all
}
