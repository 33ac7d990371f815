import { makeCertificates } from './certificate-maker.ts'
import type { CertificateReply, CertificateRequest } from './certificate-request.ts'

// The entry of the short-lived child: one request comes over the channel, one reply goes back, and it is gone.
process.once('message', async (request: CertificateRequest) => {
  const reply: CertificateReply = await makeCertificates(request).catch((error: unknown) => ({
    error: String(error),
  }))
  process.send?.(reply, () => process.disconnect())
})
