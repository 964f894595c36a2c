import { Upload, type UploadOptions } from 'tus-js-client'

type ClientOptions = Pick<UploadOptions, 'onChunkComplete' | 'uploadDataDuringCreation'> & {
	url: string
	token: string
	sourceKey: string
	chunkSize: number
	/** Called with the URL of the upload. */
	onUrl?: (url: string) => void
	/** Awaited before each request. */
	beforeRequest?: () => Promise<unknown>
}

/** Uploads with tus-js-client as clients configure it, but with many retries and no delay. */
export function uploadByClient(bytes: Buffer, clientOptions: ClientOptions): Promise<Upload> {
	const { url, token, sourceKey, onUrl, beforeRequest, ...options } = clientOptions
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
