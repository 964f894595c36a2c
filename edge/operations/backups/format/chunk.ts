import { fromBase64url, randomBase64url, toBase64url } from '../../../platform/tokens/digest.ts'

/** The keys of one backup, derived from its random data key. */
export type BackupKeys = { chunks: CryptoKey; manifest: CryptoKey }

/** The place to which the ciphertext of a chunk is bound. */
export type ChunkPlace = { backupId: string; position: number }

export type ChunkSeal = {
	/** SHA-256 of the stored bytes and of the text, in base64url. */
	sha256: string
	textSha256: string
	sizeBytes: number
}

/** Thrown if a backup is damaged, incomplete or not from this installation. */
export class DamagedBackupError extends Error {
	override name = 'DamagedBackupError'
}

const NONCE_BYTES = 12
const encoder = new TextEncoder()
const encode = (text: string) => encoder.encode(text) as Uint8Array<ArrayBuffer>

export const newDataKey = (): string => randomBase64url()

export async function deriveBackupKeys(dataKey: string): Promise<BackupKeys> {
	const root = await crypto.subtle.importKey('raw', fromBase64url(dataKey), 'HKDF', false, ['deriveBits'])
	const derive = (info: string) =>
		crypto.subtle.deriveBits(
			{
				name: 'HKDF',
				hash: 'SHA-256',
				salt: encoder.encode('playhouse backup 1'),
				info: encoder.encode(info),
			},
			root,
			256,
		)
	const hmac = { name: 'HMAC', hash: 'SHA-256' }
	return {
		chunks: await crypto.subtle.importKey('raw', await derive('chunks'), 'AES-GCM', false, [
			'encrypt',
			'decrypt',
		]),
		manifest: await crypto.subtle.importKey('raw', await derive('manifest'), hmac, false, ['sign', 'verify']),
	}
}

/** Compresses and encrypts the text of a chunk. The nonce is random, because a step that runs twice may use a position again. */
export async function sealChunk(
	{ chunks }: BackupKeys,
	place: ChunkPlace,
	text: string,
): Promise<ChunkSeal & { bytes: Uint8Array<ArrayBuffer> }> {
	const clear = encode(text)
	const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
	const sealed = await crypto.subtle.encrypt(
		{ name: 'AES-GCM', iv: nonce, additionalData: nameOf(place) },
		chunks,
		await transform(clear, new CompressionStream('gzip')),
	)
	const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength)
	bytes.set(nonce)
	bytes.set(new Uint8Array(sealed), NONCE_BYTES)
	return { bytes, sizeBytes: bytes.length, sha256: await digest(bytes), textSha256: await digest(clear) }
}

/** Returns the text of a chunk, or throws `DamagedBackupError` if it is not exactly the one that was sealed for this place. */
export async function openChunk(
	{ chunks }: BackupKeys,
	place: ChunkPlace,
	seal: ChunkSeal,
	bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
	const damaged = (how: string) => new DamagedBackupError(`chunk ${place.position} ${how}`)
	await checkChunk(place, seal, bytes)
	let packed: ArrayBuffer
	try {
		packed = await crypto.subtle.decrypt(
			{ name: 'AES-GCM', iv: bytes.subarray(0, NONCE_BYTES), additionalData: nameOf(place) },
			chunks,
			bytes.subarray(NONCE_BYTES),
		)
	} catch {
		throw damaged('does not decrypt at this position of this backup')
	}
	const clear = await transform(new Uint8Array(packed), new DecompressionStream('gzip'))
	if ((await digest(clear)) !== seal.textSha256) throw damaged('has another text than the manifest lists')
	return new TextDecoder().decode(clear)
}

/** Throws `DamagedBackupError` if these are not the bytes of the chunk. Needs no key. */
export async function checkChunk(
	{ position }: ChunkPlace,
	{ sha256 }: ChunkSeal,
	bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
	if ((await digest(bytes)) !== sha256)
		throw new DamagedBackupError(`chunk ${position} is not the one that the manifest lists`)
}

const nameOf = ({ backupId, position }: ChunkPlace): Uint8Array<ArrayBuffer> =>
	encode(JSON.stringify(['playhouse backup 1', backupId, position]))

const digest = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
	toBase64url(await crypto.subtle.digest('SHA-256', bytes))

async function transform(
	bytes: Uint8Array<ArrayBuffer>,
	through: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
	const writer = through.writable.getWriter()
	// A failure also ends the readable side, which reports it.
	const written = writer.write(bytes).then(
		() => writer.close(),
		() => undefined,
	)
	const result = new Uint8Array<ArrayBuffer>(await new Response(through.readable).arrayBuffer())
	await written.catch(() => undefined)
	return result
}
