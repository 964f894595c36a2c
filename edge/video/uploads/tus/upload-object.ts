import { DurableObject } from 'cloudflare:workers'
import { HOUR, systemClock } from '../../../platform/clock.ts'
import type { Bindings } from '../../../platform/env.ts'
import { consoleLog } from '../../../platform/log.ts'
import { r2Bucket } from '../../../platform/storage/r2-bucket.ts'
import { isDiskFull } from '../../../platform/storage/storage-errors.ts'
import { appendChunk, type Chunk, type ChunkReceived, type NewFile } from '../chunks/append-chunk.ts'
import { type Append, type Appended, appendToUpload } from './append.ts'
import { type Assembled, assembleSource, discardUpload } from './assemble.ts'
import { Turns } from './turns.ts'
import { UploadLedger, type UploadRecord } from './upload-ledger.ts'

export type NewUpload = Omit<UploadRecord, 'multipartId' | 'offset' | 'etag' | 'isFinished'>

/** Carries the `Append` of a PATCH or the `Chunk` of a PUT. */
export const APPEND_HEADER = 'x-append'

export type ChunkAppended = ChunkReceived | { refused: 'disk-full' | 'other-upload' }

/** Chunks store the file under the key of a PUT; each TUS upload has a key with its id. */
const isTus = ({ id, key }: UploadRecord) => key.endsWith(`-${id}`)

/**
 * The resumable upload of one asset. Only this object writes to it, one request at a time. It has no access to the
 * database: the Worker authenticates the caller and attaches the finished object to the asset.
 */
export class ResumableUpload extends DurableObject<Bindings> {
	readonly #ledger = new UploadLedger(this.ctx.storage)
	readonly #vault = r2Bucket(this.env.VAULT, this.env.DISK)
	readonly #turns = new Turns()

	/** Starts an upload in place of any earlier one. */
	begin(upload: NewUpload): Promise<UploadRecord> {
		return this.#turns.run(() => this.#begin(upload))
	}

	async #begin(upload: NewUpload): Promise<UploadRecord> {
		await this.#drop()
		const record = { ...upload, multipartId: null, offset: 0, etag: null, isFinished: false }
		this.#ledger.begin(record)
		await this.ctx.storage.setAlarm(record.expiresAt)
		return record
	}

	/** Returns the upload. Waits until a request still in progress has stored its bytes, since the caller will resume. */
	inspect(id: string, now: number): Promise<UploadRecord | null> {
		return this.#turns.run(async () => this.#find(id, now))
	}

	/** Appends a body. It uses `fetch`, not RPC: a request body ends with an error when its sender vanishes. */
	override async fetch(request: Request): Promise<Response> {
		const { body, method } = request
		const order = JSON.parse(request.headers.get(APPEND_HEADER) ?? '')
		const work = this.#turns.run<Appended | ChunkAppended>((signal) =>
			method === 'PUT' ? this.#appendChunk(order, body, signal) : this.#append(order, body, signal),
		)
		// Received bytes are stored even if nobody waits for the response.
		this.ctx.waitUntil(work.catch(() => undefined))
		try {
			return Response.json(await work)
		} catch (error) {
			if (!isDiskFull(error)) throw error
			return Response.json({ refused: 'disk-full' } satisfies Appended)
		} finally {
			// The unread rest of a body would block the connection.
			await request.body?.cancel().catch(() => undefined)
		}
	}

	#append(order: Append, body: ReadableStream | null, signal: AbortSignal): Promise<Appended> {
		const outside = { vault: this.#vault, ledger: this.#ledger, signal }
		return appendToUpload(order, this.#find(order.id, order.now), body, outside)
	}

	async #appendChunk(chunk: Chunk, body: ReadableStream | null, signal: AbortSignal): Promise<ChunkAppended> {
		const other = this.#ledger.read()
		if (other && other.id !== chunk.id && isTus(other) && other.offset > 0 && chunk.now < other.expiresAt)
			return { refused: 'other-upload' }
		const begin = async (file: NewFile) => {
			// An older object at this key must not be completed in place of the new file.
			await this.#vault.delete(file.key)
			const maxBytes = chunk.totalBytes
			return this.#begin({ id: chunk.id, metadata: '', maxBytes, ...file })
		}
		const drop = () => this.#drop()
		const outside = { vault: this.#vault, ledger: this.#ledger, signal, begin, drop }
		return appendChunk(chunk, this.#find(chunk.id, chunk.now), body, outside)
	}

	/** Assembles the object. Repeated calls return the same result, also after a crash. */
	assemble(id: string, now: number): Promise<Assembled> {
		return this.#turns.run(async () => {
			const record = this.#find(id, now)
			if (!record || record.offset !== record.lengthBytes) return null
			return assembleSource(this.#vault, this.#ledger, record)
		})
	}

	/**
	 * Marks the upload as finished if the source of its asset came from it; otherwise drops the upload. An incomplete upload
	 * in chunks has the same key as a PUT of the whole file.
	 */
	settle(sourceKey: string | null): Promise<void> {
		return this.#turns.run(async () => {
			const record = this.#ledger.read()
			if (!record) return
			if (record.key === sourceKey && record.etag !== null) this.#ledger.change(record, { isFinished: true })
			else await this.#drop()
		})
	}

	/** Cancels the upload with this id; with null, any upload. Returns whether there was one. */
	end(id: string | null): Promise<boolean> {
		return this.#turns.run(async () => {
			const record = this.#ledger.read()
			if (!record || (id !== null && record.id !== id)) return false
			await this.#drop()
			return true
		})
	}

	/** Drops an expired upload. The platform retries a failed alarm only a few times, so a failure sets a new one. */
	override async alarm(): Promise<void> {
		const now = systemClock()
		try {
			await this.#turns.run(async () => {
				const expiresAt = this.#ledger.read()?.expiresAt
				if (expiresAt === undefined) return
				if (expiresAt > now) await this.ctx.storage.setAlarm(expiresAt)
				else await this.#drop()
			})
		} catch (error) {
			consoleLog.error('dropping an expired upload failed', error)
			await this.ctx.storage.setAlarm(now + HOUR)
		}
	}

	#find(id: string, now: number): UploadRecord | null {
		const record = this.#ledger.read()
		return record?.id === id && now < record.expiresAt ? record : null
	}

	/** Drops the upload but keeps an assembled object, since only the database knows whether an asset uses it. */
	async #drop(): Promise<void> {
		const record = this.#ledger.read()
		if (!record) return
		await discardUpload(this.#vault, record)
		await this.ctx.storage.deleteAlarm()
		await this.ctx.storage.deleteAll()
	}
}
