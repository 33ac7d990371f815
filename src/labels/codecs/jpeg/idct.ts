/**
 * Inverse DCTs that turn the 64 coefficients of a block (natural order, dequantised) into N x N samples at `at` in
 * `out`, rows `stride` apart. N = 8 is the whole block; 4, 2 and 1 give the averages of 2x2, 4x4 and 8x8 samples,
 * computed in the frequency domain: the same as decoding whole and averaging, but for rounding and clamping.
 */
export type Idct = (block: Int32Array, out: Uint8ClampedArray, at: number, stride: number) => void

// The integer method of the IJG ("islow"): 13-bit constants, 2 extra bits between the passes
// (Loeffler, Ligtenberg, Moschytz 1989). The same rounding as libjpeg, so the samples are the same.
const F_0_298 = 2446
const F_0_390 = 3196
const F_0_541 = 4433
const F_0_765 = 6270
const F_0_899 = 7373
const F_1_175 = 9633
const F_1_501 = 12299
const F_1_847 = 15137
const F_1_961 = 16069
const F_2_053 = 16819
const F_2_562 = 20995
const F_3_072 = 25172

/** Samples are stored with 128 subtracted. */
const LEVEL = 128

/** Makes the four transforms; each call has work arrays of its own. */
export function makeIdcts(): Readonly<Record<1 | 2 | 4 | 8, Idct>> {
  return { 8: makeIdct8(), 4: makeIdct4(), 2: makeIdct2(), 1: idct1 }
}

function makeIdct8(): Idct {
  const work = new Int32Array(64)
  return (block, out, at, stride) => {
    for (let i = 0; i < 8; i += 1) idctColumn(block, work, i)
    for (let i = 0; i < 8; i += 1) idctRow(work, i * 8, out, at + i * stride)
  }
}

function idctColumn(c: Int32Array, w: Int32Array, i: number): void {
  const c0 = c[i] as number
  const c1 = c[i + 8] as number
  const c2 = c[i + 16] as number
  const c3 = c[i + 24] as number
  const c4 = c[i + 32] as number
  const c5 = c[i + 40] as number
  const c6 = c[i + 48] as number
  const c7 = c[i + 56] as number
  if ((c1 | c2 | c3 | c4 | c5 | c6 | c7) === 0) {
    const flat = c0 << 2
    for (let k = i; k < 64; k += 8) w[k] = flat
    return
  }
  const e = (c2 + c6) * F_0_541
  const e2 = e - c6 * F_1_847
  const e3 = e + c2 * F_0_765
  const s = ((c0 + c4) << 13) + 1024
  const d = ((c0 - c4) << 13) + 1024
  const a0 = s + e3
  const a3 = s - e3
  const a1 = d + e2
  const a2 = d - e2
  const z5 = (c7 + c3 + c5 + c1) * F_1_175
  const z1 = (c7 + c1) * -F_0_899
  const z2 = (c5 + c3) * -F_2_562
  const z3 = (c7 + c3) * -F_1_961 + z5
  const z4 = (c5 + c1) * -F_0_390 + z5
  const b0 = c7 * F_0_298 + z1 + z3
  const b1 = c5 * F_2_053 + z2 + z4
  const b2 = c3 * F_3_072 + z2 + z3
  const b3 = c1 * F_1_501 + z1 + z4
  w[i] = (a0 + b3) >> 11
  w[i + 56] = (a0 - b3) >> 11
  w[i + 8] = (a1 + b2) >> 11
  w[i + 48] = (a1 - b2) >> 11
  w[i + 16] = (a2 + b1) >> 11
  w[i + 40] = (a2 - b1) >> 11
  w[i + 24] = (a3 + b0) >> 11
  w[i + 32] = (a3 - b0) >> 11
}

/** Rounding and the level shift of the second pass, in its 18 fraction bits. */
const ROUND_18 = (1 << 17) + (LEVEL << 18)

function idctRow(w: Int32Array, i: number, out: Uint8ClampedArray, o: number): void {
  const c1 = w[i + 1] as number
  const c2 = w[i + 2] as number
  const c3 = w[i + 3] as number
  const c5 = w[i + 5] as number
  const c6 = w[i + 6] as number
  const c7 = w[i + 7] as number
  const e = (c2 + c6) * F_0_541
  const e2 = e - c6 * F_1_847
  const e3 = e + c2 * F_0_765
  const s = (((w[i] as number) + (w[i + 4] as number)) << 13) + ROUND_18
  const d = (((w[i] as number) - (w[i + 4] as number)) << 13) + ROUND_18
  const a0 = s + e3
  const a3 = s - e3
  const a1 = d + e2
  const a2 = d - e2
  const z5 = (c7 + c3 + c5 + c1) * F_1_175
  const z1 = (c7 + c1) * -F_0_899
  const z2 = (c5 + c3) * -F_2_562
  const z3 = (c7 + c3) * -F_1_961 + z5
  const z4 = (c5 + c1) * -F_0_390 + z5
  const b0 = c7 * F_0_298 + z1 + z3
  const b1 = c5 * F_2_053 + z2 + z4
  const b2 = c3 * F_3_072 + z2 + z3
  const b3 = c1 * F_1_501 + z1 + z4
  out[o] = (a0 + b3) >> 18
  out[o + 7] = (a0 - b3) >> 18
  out[o + 1] = (a1 + b2) >> 18
  out[o + 6] = (a1 - b2) >> 18
  out[o + 2] = (a2 + b1) >> 18
  out[o + 5] = (a2 - b1) >> 18
  out[o + 3] = (a3 + b0) >> 18
  out[o + 4] = (a3 - b0) >> 18
}

// The reduced transforms. Sample n of an 8-point inverse DCT is sum over k of W(k) X(k) cos((2n+1)kπ/16) / 2 with
// W(0) = 1/√2. The mean of samples 2n and 2n+1 keeps the coefficients 0 1 2 3 5 6 7 (4 cancels); the mean of four
// keeps 0 1 3 5 7; the mean of eight keeps 0. The factors below are those means, not approximations.
const weight = (k: number): number => (k === 0 ? Math.SQRT1_2 : 1) / 2
const basis = (k: number, n: number): number =>
  weight(k) * Math.cos(((2 * n + 1) * k * Math.PI) / 16)
const mean = (k: number, from: number, count: number): number => {
  let sum = 0
  for (let n = from; n < from + count; n += 1) sum += basis(k, n)
  return sum / count
}

function makeIdct4(): Idct {
  const work = new Float64Array(32)
  const dc = mean(0, 0, 2)
  // Rows 0 and 3 mirror each other, and so do 1 and 2: odd coefficients change their sign.
  const even = [mean(2, 0, 2), mean(6, 0, 2), mean(2, 2, 2), mean(6, 2, 2)] as const
  const odd0 = [mean(1, 0, 2), mean(3, 0, 2), mean(5, 0, 2), mean(7, 0, 2)] as const
  const odd1 = [mean(1, 2, 2), mean(3, 2, 2), mean(5, 2, 2), mean(7, 2, 2)] as const
  const [e02, e06, e12, e16] = even
  const [p1, p3, p5, p7] = odd0
  const [q1, q3, q5, q7] = odd1
  return (c, out, at, stride) => {
    for (let i = 0; i < 8; i += 1) {
      if (i === 4) continue
      const c1 = c[i + 8] as number
      const c2 = c[i + 16] as number
      const c3 = c[i + 24] as number
      const c5 = c[i + 40] as number
      const c6 = c[i + 48] as number
      const c7 = c[i + 56] as number
      const base = (c[i] as number) * dc
      const e0 = base + c2 * e02 + c6 * e06
      const e1 = base + c2 * e12 + c6 * e16
      const o0 = c1 * p1 + c3 * p3 + c5 * p5 + c7 * p7
      const o1 = c1 * q1 + c3 * q3 + c5 * q5 + c7 * q7
      work[i] = e0 + o0
      work[i + 8] = e1 + o1
      work[i + 16] = e1 - o1
      work[i + 24] = e0 - o0
    }
    for (let y = 0; y < 4; y += 1) {
      const i = y * 8
      const o = at + y * stride
      const c1 = work[i + 1] as number
      const c2 = work[i + 2] as number
      const c3 = work[i + 3] as number
      const c5 = work[i + 5] as number
      const c6 = work[i + 6] as number
      const c7 = work[i + 7] as number
      const base = (work[i] as number) * dc + LEVEL
      const e0 = base + c2 * e02 + c6 * e06
      const e1 = base + c2 * e12 + c6 * e16
      const o0 = c1 * p1 + c3 * p3 + c5 * p5 + c7 * p7
      const o1 = c1 * q1 + c3 * q3 + c5 * q5 + c7 * q7
      out[o] = e0 + o0
      out[o + 1] = e1 + o1
      out[o + 2] = e1 - o1
      out[o + 3] = e0 - o0
    }
  }
}

function makeIdct2(): Idct {
  const work = new Float64Array(16)
  const dc = mean(0, 0, 4)
  const [p1, p3, p5, p7] = [mean(1, 0, 4), mean(3, 0, 4), mean(5, 0, 4), mean(7, 0, 4)] as const
  return (c, out, at, stride) => {
    for (let i = 0; i < 8; i += 1) {
      if (i !== 0 && (i & 1) === 0) continue
      const base = (c[i] as number) * dc
      const odd =
        (c[i + 8] as number) * p1 +
        (c[i + 24] as number) * p3 +
        (c[i + 40] as number) * p5 +
        (c[i + 56] as number) * p7
      work[i] = base + odd
      work[i + 8] = base - odd
    }
    for (let y = 0; y < 2; y += 1) {
      const i = y * 8
      const o = at + y * stride
      const base = (work[i] as number) * dc + LEVEL
      const odd =
        (work[i + 1] as number) * p1 +
        (work[i + 3] as number) * p3 +
        (work[i + 5] as number) * p5 +
        (work[i + 7] as number) * p7
      out[o] = base + odd
      out[o + 1] = base - odd
    }
  }
}

const idct1: Idct = (c, out, at) => {
  out[at] = (c[0] as number) / 8 + LEVEL
}
