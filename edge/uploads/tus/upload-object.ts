import { DurableObject } from 'cloudflare:workers'
import { HOUR, systemClock } from '../../platform/clock.ts'
import type { Bindings } from '../../platform/env.ts'
import { consoleLog } from '../../platform/log.ts'
import { r2Bucket } from '../../platform/storage/r2-bucket.ts'
import { isDiskFull } from '../../platform/storage/storage-errors.ts'
import { type Assembled, assemble, discard } from './assemble.ts'
import type { Checksum } from './checksum.ts'
import { type Received, receive } from './receive.ts'
import { Turns } from './turns.ts'
import { UploadLedger, type UploadRecord } from './upload-ledger.ts'

export type NewUpload = Omit<UploadRecord, 'multipartId' | 'offset' | 'etag' | 'isFinished'>

/** The parameters of an append, sent in `APPEND_HEADER` beside the body. */
export type Append = {
	id: string
	offset: number
	/** Declared length of the body; null if the sender declared none. */
	bodyBytes: number | null
	/** Length of the whole upload, if it was deferred and is now sent. */
	lengthBytes: number | null
	checksum: Checksum | null
	now: number
}
export const APPEND_HEADER = 'x-append'

export type Appended =
	| { refused: 'unknown' | 'other-offset' | 'other-length' | 'too-large' | 'disk-full' }
	| ({ refused: null } & Received)

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
		return this.#turns.run(async () => {
			await this.#drop()
			const record = { ...upload, multipartId: null, offset: 0, etag: null, isFinished: false }
			this.#ledger.begin(record)
			await this.ctx.storage.setAlarm(record.expiresAt)
			return record
		})
	}

	/** Returns the upload. Waits until a request still in progress has stored its bytes, since the caller will resume. */
	inspect(id: string, now: number): Promise<UploadRecord | null> {
		return this.#turns.run(async () => this.#find(id, now))
	}

	/** Appends a body. It uses `fetch`, not RPC: a request body ends with an error when its sender vanishes. */
	override async fetch(request: Request): Promise<Response> {
		const append: Append = JSON.parse(request.headers.get(APPEND_HEADER) ?? '')
		const work = this.#turns.run((signal) => this.#append(append, request.body, signal))
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

	async #append(append: Append, body: ReadableStream | null, signal: AbortSignal): Promise<Appended> {
		let record = this.#find(append.id, append.now)
		if (!record) return { refused: 'unknown' }
		if (append.offset !== record.offset) return { refused: 'other-offset' }
		const { lengthBytes, bodyBytes, checksum } = append
		if (lengthBytes !== null && lengthBytes !== record.lengthBytes) {
			if (record.lengthBytes !== null || lengthBytes < record.offset) return { refused: 'other-length' }
			if (lengthBytes > record.maxBytes) return { refused: 'too-large' }
		}
		const room = (lengthBytes ?? record.lengthBytes ?? record.maxBytes) - record.offset
		if ((bodyBytes ?? 0) > room) return { refused: 'too-large' }
		if (lengthBytes !== null) record = this.#ledger.change(record, { lengthBytes })
		const received = await receive({
			vault: this.#vault,
			ledger: this.#ledger,
			record,
			body,
			bodyBytes,
			room,
			checksum,
			signal,
		})
		return { refused: null, ...received }
	}

	/** Assembles the object. Repeated calls return the same result, also after a crash. */
	assemble(id: string, now: number): Promise<Assembled> {
		return this.#turns.run(async () => {
			const record = this.#find(id, now)
			if (!record || record.offset !== record.lengthBytes) return null
			return assemble(this.#vault, this.#ledger, record)
		})
	}

	/** Marks the upload as finished if the source of its asset came from it; otherwise drops the upload. */
	settle(sourceKey: string | null): Promise<void> {
		return this.#turns.run(async () => {
			const record = this.#ledger.read()
			if (!record) return
			if (record.key === sourceKey) this.#ledger.change(record, { isFinished: true })
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
		await discard(this.#vault, record)
		await this.ctx.storage.deleteAlarm()
		await this.ctx.storage.deleteAll()
	}
}
