import { readBytes } from '../../http/body/bytes-body.ts'
import { AppError } from '../../http/errors.ts'
import type { Bucket, BucketName, UploadedPart } from '../../platform/storage/bucket.ts'
import { S3Error, xmlResponse } from './errors.ts'
import { readMeasuredBody, readObjectLabels, rejectMd5 } from './objects.ts'

const MAX_PARTS = 10_000
/** Fits 10,000 parts with checksums, as S3 clients write them, with some margin. */
const MAX_LIST_BYTES = 4 * 1024 ** 2

type Upload = { bucket: Bucket; bucketName: BucketName; key: string }

export async function createUpload(request: Request, { bucket, bucketName, key }: Upload): Promise<Response> {
	const { uploadId } = await bucket.createMultipart(key, readObjectLabels(request.headers))
	return xmlResponse('InitiateMultipartUploadResult', { Bucket: bucketName, Key: key, UploadId: uploadId })
}

export async function writePart(
	request: Request,
	{ bucket, key }: Upload,
	uploadId: string,
	partNumber: string,
): Promise<Response> {
	if (!/^\d{1,5}$/.test(partNumber) || Number(partNumber) < 1 || Number(partNumber) > MAX_PARTS)
		throw new S3Error('InvalidArgument', `partNumber must be 1 to ${MAX_PARTS}`)
	rejectMd5(request.headers)
	const { etag } = await bucket.uploadPart(key, uploadId, Number(partNumber), readMeasuredBody(request))
	return new Response(null, { headers: { etag: `"${etag}"` } })
}

export async function completeUpload(
	request: Request,
	{ bucket, bucketName, key }: Upload,
	uploadId: string,
): Promise<Response> {
	if (request.headers.has('if-none-match') || request.headers.has('if-match'))
		throw new S3Error('NotImplemented', 'conditions are not supported when completing a multipart upload')
	const object = await bucket.completeMultipart(key, uploadId, readParts(await readList(request)))
	const Location = new URL(request.url).pathname
	return xmlResponse('CompleteMultipartUploadResult', {
		Location,
		Bucket: bucketName,
		Key: key,
		ETag: `"${object.etag}"`,
	})
}

export async function abortUpload({ bucket, key }: Upload, uploadId: string): Promise<Response> {
	await bucket.abortMultipart(key, uploadId)
	return new Response(null, { status: 204 })
}

async function readList(request: Request): Promise<string> {
	const length = Number(request.headers.get('content-length') ?? Number.NaN)
	if (Number.isNaN(length)) throw new S3Error('MissingContentLength', 'send a content-length')
	if (length > MAX_LIST_BYTES) throw new S3Error('EntityTooLarge', 'the list of parts is too long')
	try {
		return new TextDecoder().decode(await readBytes(request, MAX_LIST_BYTES))
	} catch (error) {
		if (!(error instanceof AppError)) throw error
		throw new S3Error(error.code === 'too_large' ? 'EntityTooLarge' : 'MalformedXML', error.message)
	}
}

/** Extracts the part number and etag of each part; other XML is ignored. */
export function readParts(xml: string): UploadedPart[] {
	const parts: UploadedPart[] = []
	for (const part of xml.split('<Part>').slice(1)) {
		const partNumber = Number(/<PartNumber>\s*(\d{1,5})\s*<\/PartNumber>/.exec(part)?.[1])
		const etag = /<ETag>([^<]*)<\/ETag>/.exec(part)?.[1]?.replaceAll(/\s|"|&quot;|&#34;|&#x22;/g, '')
		if (!partNumber || !etag || /[<>&]/.test(etag))
			throw new S3Error('MalformedXML', 'each part must have a PartNumber and an ETag')
		if (partNumber <= (parts.at(-1)?.partNumber ?? 0))
			throw new S3Error('InvalidPartOrder', 'parts must be in ascending order of PartNumber')
		parts.push({ partNumber, etag })
	}
	if (parts.length === 0) throw new S3Error('MalformedXML', 'the list of parts is empty')
	if (parts.length > MAX_PARTS)
		throw new S3Error('InvalidArgument', `an upload has at most ${MAX_PARTS} parts`)
	return parts
}
