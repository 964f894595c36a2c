/** S3 error codes and their HTTP status. */
const statusOf = {
	AuthorizationQueryParametersError: 400,
	BadDigest: 400,
	EntityTooSmall: 400,
	InvalidArgument: 400,
	InvalidDigest: 400,
	InvalidPart: 400,
	InvalidPartOrder: 400,
	InvalidRequest: 400,
	InvalidURI: 400,
	KeyTooLongError: 400,
	MalformedXML: 400,
	MetadataTooLarge: 400,
	AccessDenied: 403,
	ExpiredRequest: 403,
	InvalidAccessKeyId: 403,
	RequestTimeTooSkewed: 403,
	SignatureDoesNotMatch: 403,
	NoSuchBucket: 404,
	NoSuchKey: 404,
	NoSuchUpload: 404,
	NotFound: 404,
	MethodNotAllowed: 405,
	OperationAborted: 409,
	MissingContentLength: 411,
	PreconditionFailed: 412,
	EntityTooLarge: 413,
	InvalidRange: 416,
	SlowDown: 429,
	InternalError: 500,
	NotImplemented: 501,
	ServiceUnavailable: 503,
	InsufficientStorage: 507,
} as const

export type S3Code = keyof typeof statusOf

export class S3Error extends Error {
	override name = 'S3Error'
	readonly code: S3Code

	constructor(code: S3Code, message: string) {
		super(message)
		this.code = code
	}
}

export const errorResponse = ({ code, message }: S3Error, headers?: Headers): Response => {
	const response = xmlResponse('Error', { Code: code, Message: message }, statusOf[code])
	for (const [name, value] of headers ?? []) response.headers.set(name, value)
	return response
}

/** Returns an XML response with one root element and text children, which is all this API needs. */
export function xmlResponse(root: string, children: Record<string, string>, status = 200): Response {
	const inner = Object.entries(children).map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`)
	return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${inner.join('')}</${root}>`, {
		status,
		headers: { 'content-type': 'application/xml', 'cache-control': 'no-store' },
	})
}

const escapeXml = (text: string): string => text.replace(/[<>&"'\p{Cc}]/gu, (c) => `&#${c.codePointAt(0)};`)
