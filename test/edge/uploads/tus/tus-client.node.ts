import { Upload, type UploadOptions } from 'tus-js-client'

type Asked = Pick<UploadOptions, 'onChunkComplete' | 'uploadDataDuringCreation'> & {
	url: string
	token: string
	sourceKey: string
	chunkSize: number
	/** Told where the upload is. */
	onUrl?: (url: string) => void
	/** Waited for before each request. */
	beforeRequest?: () => Promise<unknown>
}

/** An upload by tus-js-client as people configure it, but that it tries again at once and often. */
export function uploadByClient(bytes: Buffer, asked: Asked): Promise<Upload> {
	const { url, token, sourceKey, onUrl, beforeRequest, ...options } = asked
	return new Promise((resolve, reject) => {
		const upload: Upload = new Upload(bytes, {
			...options,
			endpoint: `${url}/upload/videos`,
			headers: { authorization: `Bearer ${token}` },
			metadata: { filename: sourceKey, filetype: 'video/mp4' },
			retryDelays: Array(60).fill(10),
			onBeforeRequest: async () => {
				await beforeRequest?.()
			},
			onUploadUrlAvailable: () => onUrl?.(String(upload.url)),
			onSuccess: () => resolve(upload),
			onError: reject,
		})
		upload.start()
	})
}
