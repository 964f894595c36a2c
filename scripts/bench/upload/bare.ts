import type { R2Bucket, R2UploadedPart } from '@cloudflare/workers-types'

/** The minimum to store a body of any length in R2: multipart upload with parts of one size, one after the other. */
const PART_BYTES = 5 * 1024 ** 2

export default {
	async fetch(request: Request, { VAULT }: { VAULT: R2Bucket }): Promise<Response> {
		const upload = await VAULT.createMultipartUpload('bare')
		const reader = (request.body as ReadableStream<Uint8Array>).getReader({ mode: 'byob' }) as unknown as {
			readAtLeast(bytes: number, view: Uint8Array): Promise<{ value?: Uint8Array; done: boolean }>
		}
		const parts: R2UploadedPart[] = []
		for (let buffer = new ArrayBuffer(PART_BYTES); ; ) {
			const { value, done } = await reader.readAtLeast(PART_BYTES, new Uint8Array(buffer))
			if (!value?.byteLength) break
			parts.push(await upload.uploadPart(parts.length + 1, value))
			buffer = value.buffer as ArrayBuffer
			if (done) break
		}
		const { size } = await upload.complete(parts)
		return Response.json({ size })
	},
}
