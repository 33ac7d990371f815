import sharp from 'sharp'

/** A TIFF of two pages of 8 by 8 pixels, the first white, the second black. */
export async function makePagesTiff(): Promise<Buffer> {
  const pages = await Promise.all(
    [255, 0].map((value) =>
      sharp(Buffer.alloc(64, value), { raw: { width: 8, height: 8, channels: 1 } })
        .png()
        .toBuffer(),
    ),
  )
  return await sharp(pages, { join: { animated: true } })
    .tiff({ compression: 'lzw' })
    .toBuffer()
}
