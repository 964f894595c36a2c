/** A CORS rule in the format of R2's own API, which differs from that of S3. */
export type CorsRule = {
	id: string
	allowed: { origins: string[]; methods: string[]; headers: string[] }
	exposeHeaders: string[]
	maxAgeSeconds: number
}

/** Allows any origin: the presigned URL authorizes the upload, and no page can create one itself. */
export const uploads: CorsRule = {
	id: 'presigned-uploads',
	allowed: {
		origins: ['*'],
		methods: ['GET', 'HEAD', 'PUT'],
		headers: ['content-type', 'content-md5', 'content-range', 'if-none-match', 'range'],
	},
	exposeHeaders: ['ETag', 'Range', 'Content-Length', 'Content-Range', 'Accept-Ranges'],
	maxAgeSeconds: 86_400,
}

/** Allows players on any site, without credentials. */
export const playback: CorsRule = {
	id: 'playback',
	allowed: { origins: ['*'], methods: ['GET', 'HEAD'], headers: ['range'] },
	exposeHeaders: ['ETag', 'Content-Length', 'Content-Range', 'Accept-Ranges'],
	maxAgeSeconds: 86_400,
}
