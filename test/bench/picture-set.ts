import { Buffer } from 'node:buffer'
import sharp, { type Sharp } from 'sharp'
import { carrierLabel } from '../label-makers/carrier.ts'

/** A label file of the benches. */
export interface Input {
  readonly name: string
  readonly format: 'png' | 'jpeg' | 'gif'
  readonly bytes: Buffer
}

/** The photo may take so much longer than with sharp, which is native. */
export const PHOTO_SHARE = 1.2

/** The picture of 24 megapixels. */
export const isPhoto = ({ name }: Input): boolean => name.startsWith('photo')

const LABEL = carrierLabel()
const GRAY = { raw: { width: LABEL.width, height: LABEL.height, channels: 1 } } as const
const WHITE = '#fff'

const label = (): Sharp => sharp(Buffer.from(LABEL.luma), GRAY).toColorspace('b-w')
const stretched = (width: number, height: number): Sharp =>
  label().resize(width, height, { fit: 'fill' })
const color = (picture: Sharp): Sharp => picture.toColorspace('srgb')

/** A carrier's label in the kinds that arrive: of its own size, on a letter page, as a photo of 24 megapixels. */
export async function makeLabels(): Promise<readonly Input[]> {
  const gray = await label().png().toBuffer()
  const page = sharp({ create: { width: 2550, height: 3300, channels: 3, background: WHITE } })
  const size = { width: 2000, height: 3000, fit: 'fill' } as const
  const onPage = await label().resize(size).blur(0.6).png().toBuffer()
  return [
    { name: 'gray 812x1218 PNG', format: 'png', bytes: gray },
    {
      name: '1-bit 812x1218 PNG',
      format: 'png',
      bytes: await label().png({ palette: true, colors: 2 }).toBuffer(),
    },
    {
      name: 'RGB 812x1218 JPEG',
      format: 'jpeg',
      bytes: await color(label()).jpeg({ quality: 90 }).toBuffer(),
    },
    {
      name: 'letter page 2550x3300 PNG',
      format: 'png',
      bytes: await page
        .composite([{ input: onPage, top: 150, left: 275 }])
        .removeAlpha()
        .png()
        .toBuffer(),
    },
    {
      name: 'photo 4000x6000 JPEG',
      format: 'jpeg',
      bytes: await photo(4000, 6000).jpeg({ quality: 88 }).toBuffer(),
    },
  ]
}

/** Shades and grain like a camera's, a label in the middle. */
function photo(width: number, height: number): Sharp {
  const grain = sharp({
    create: {
      width: width >> 1,
      height: height >> 1,
      channels: 3,
      background: WHITE,
      noise: { type: 'gaussian', mean: 205, sigma: 9 },
    },
  })
  return grain.resize(width, height, { fit: 'fill' }).toColorspace('srgb')
}

/** Coarse grain all over: large files. */
function grain(width: number, height: number, sigma: number): Sharp {
  const noise = { type: 'gaussian', mean: 200, sigma } as const
  return sharp({ create: { width, height, channels: 3, background: WHITE, noise } })
}

/** The largest pictures that the gate lets through, of every kind. */
export async function makeLargest(): Promise<readonly Input[]> {
  const [width, height] = [8000, 5000]
  const whole = async (): Promise<Sharp> => color(stretched(width, height))
  const gif = (progressive: boolean): Promise<Buffer> =>
    stretched(width, height).threshold(128).gif({ colors: 2, effort: 1, progressive }).toBuffer()
  const png = { compressionLevel: 6 } as const
  return [
    { name: '40 MP JPEG', format: 'jpeg', bytes: await photo(width, height).jpeg().toBuffer() },
    {
      name: '40 MP JPEG, turned',
      format: 'jpeg',
      bytes: await photo(width, height).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    },
    {
      name: '40 MP JPEG, 4:4:4',
      format: 'jpeg',
      bytes: await (await whole()).jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
    },
    { name: '40 MP RGB PNG', format: 'png', bytes: await (await whole()).png(png).toBuffer() },
    {
      name: '40 MP RGBA PNG of 16 bits',
      format: 'png',
      bytes: await (await whole()).ensureAlpha().toColorspace('rgb16').png(png).toBuffer(),
    },
    {
      name: '40 MP interlaced PNG',
      format: 'png',
      bytes: await (await whole()).png({ ...png, progressive: true }).toBuffer(),
    },
    {
      name: '34 MP letter page PNG',
      format: 'png',
      bytes: await color(
        stretched(4400, 6000).extend({ right: 700, bottom: 600, background: WHITE }),
      )
        .png(png)
        .toBuffer(),
    },
    {
      name: 'progressive JPEG at its cap',
      format: 'jpeg',
      bytes: await photo(3840, 2640).jpeg({ progressive: true }).toBuffer(),
    },
    {
      name: 'photo of 40 MP with much grain, JPEG',
      format: 'jpeg',
      bytes: await grain(8000, 5000, 22).jpeg({ quality: 50 }).toBuffer(),
    },
    {
      name: 'progressive JPEG at its cap with much grain',
      format: 'jpeg',
      bytes: await grain(3840, 2640, 30).jpeg({ quality: 85, progressive: true }).toBuffer(),
    },
    {
      name: 'PNG as large as a request may be',
      format: 'png',
      bytes: await grain(2400, 1600, 60).png().toBuffer(),
    },
    { name: '40 MP GIF', format: 'gif', bytes: await gif(false) },
    { name: '40 MP interlaced GIF', format: 'gif', bytes: await gif(true) },
  ]
}
