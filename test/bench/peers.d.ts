/** A package's way from a picture file to ^GFA data. */
export type Way = (bytes: Uint8Array, format: 'png' | 'jpeg' | 'gif') => Promise<string>

/** By the package's name. */
export const ways: Readonly<Record<'sharp' | 'jimp' | 'zpl-image', Way>>
