/** As R2's own API has it, which is not how S3 writes the same. */
export type CorsRule = {
	id: string
	allowed: { origins: string[]; methods: string[]; headers: string[] }
	exposeHeaders: string[]
	maxAgeSeconds: number
}

/** Any origin: what lets someone in is the signature in the URL, which a page cannot make for itself. */
export const uploads: CorsRule = {
	id: 'presigned-uploads',
	allowed: {
		origins: ['*'],
		methods: ['GET', 'HEAD', 'PUT'],
		headers: ['content-type', 'content-md5', 'if-none-match', 'range'],
	},
	exposeHeaders: ['ETag', 'Content-Length', 'Content-Range', 'Accept-Ranges'],
	maxAgeSeconds: 86_400,
}

/** Players on anyone's pages, without credentials. */
export const playback: CorsRule = {
	id: 'playback',
	allowed: { origins: ['*'], methods: ['GET', 'HEAD'], headers: ['range'] },
	exposeHeaders: ['ETag', 'Content-Length', 'Content-Range', 'Accept-Ranges'],
	maxAgeSeconds: 86_400,
}
