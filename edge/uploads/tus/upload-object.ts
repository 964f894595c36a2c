import { DurableObject } from 'cloudflare:workers'
import { HOUR, systemClock } from '../../platform/clock.ts'
import type { Bindings } from '../../platform/env.ts'
import { consoleLog } from '../../platform/log.ts'
import { r2Bucket } from '../../platform/r2-bucket.ts'
import { type Assembled, assemble, discard } from './assemble.ts'
import type { Checksum } from './checksum.ts'
import { type Received, receive } from './receive.ts'
import { Turns } from './turns.ts'
import { UploadLedger, type UploadRecord } from './upload-ledger.ts'

export type NewUpload = Omit<UploadRecord, 'multipartId' | 'offset' | 'etag' | 'isFinished'>

/** What goes with the body; it travels in `APPEND_HEADER`. */
export type Append = {
	id: string
	offset: number
	/** Of the body; null if its sender did not say. */
	bodyBytes: number | null
	/** Of the whole upload, for one whose length was deferred. */
	lengthBytes: number | null
	checksum: Checksum | null
	now: number
}
export const APPEND_HEADER = 'x-append'

export type Appended =
	| { refused: 'unknown' | 'other-offset' | 'other-length' | 'too-large' }
	| ({ refused: null } & Received)

/**
 * The resumable upload of one asset: the only place that writes to it, one request at a time. It knows no assets and
 * no database; the Worker in front of it says whom it serves and what becomes of what was uploaded.
 */
export class ResumableUpload extends DurableObject<Bindings> {
	readonly #ledger = new UploadLedger(this.ctx.storage)
	readonly #vault = r2Bucket(this.env.VAULT)
	readonly #turns = new Turns()

	/** Takes the place of whatever was begun here before. */
	begin(upload: NewUpload): Promise<UploadRecord> {
		return this.#turns.take(async () => {
			await this.#drop()
			const record = { ...upload, multipartId: null, offset: 0, etag: null, isFinished: false }
			this.#ledger.begin(record)
			await this.ctx.storage.setAlarm(record.expiresAt)
			return record
		})
	}

	/** Whoever asks is about to go on: what a request before it still holds is kept first. */
	inspect(id: string, now: number): Promise<UploadRecord | null> {
		return this.#turns.take(async () => this.#find(id, now))
	}

	/** Appends the body: as that of a request a stream ends in an error when its sender vanishes. */
	override async fetch(request: Request): Promise<Response> {
		const append: Append = JSON.parse(request.headers.get(APPEND_HEADER) ?? '')
		const work = this.#turns.take((signal) => this.#append(append, request.body, signal))
		// What has arrived is kept even when nobody waits for the answer any more.
		this.ctx.waitUntil(work.catch(() => undefined))
		try {
			return Response.json(await work)
		} finally {
			// Left unread, a body keeps the connection busy.
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

	/** Puts the object together. Asked again, after whatever happened in between, it answers the same. */
	assemble(id: string, now: number): Promise<Assembled> {
		return this.#turns.take(async () => {
			const record = this.#find(id, now)
			if (!record || record.offset !== record.lengthBytes) return null
			return assemble(this.#vault, this.#ledger, record)
		})
	}

	/** The asset has a source. If it is this upload's, that is how far it has come; if not, the upload is over. */
	settle(sourceKey: string | null): Promise<void> {
		return this.#turns.take(async () => {
			const record = this.#ledger.read()
			if (!record) return
			if (record.key === sourceKey) this.#ledger.change(record, { isFinished: true })
			else await this.#drop()
		})
	}

	/** Gives the upload up; without an id whichever there is. Says whether there was one. */
	end(id: string | null): Promise<boolean> {
		return this.#turns.take(async () => {
			const record = this.#ledger.read()
			if (!record || (id !== null && record.id !== id)) return false
			await this.#drop()
			return true
		})
	}

	/** An upload that nobody came back to. The platform tries an alarm that fails a few times, and then no more. */
	override async alarm(): Promise<void> {
		const now = systemClock()
		try {
			await this.#turns.take(async () => {
				const expiresAt = this.#ledger.read()?.expiresAt
				if (expiresAt === undefined) return
				if (expiresAt > now) await this.ctx.storage.setAlarm(expiresAt)
				else await this.#drop()
			})
		} catch (error) {
			consoleLog.error('an upload could not be given up', error)
			await this.ctx.storage.setAlarm(now + HOUR)
		}
	}

	#find(id: string, now: number): UploadRecord | null {
		const record = this.#ledger.read()
		return record?.id === id && now < record.expiresAt ? record : null
	}

	/** An object that was put together is left alone: whether an asset has it is known to the database only. */
	async #drop(): Promise<void> {
		const record = this.#ledger.read()
		if (!record) return
		await discard(this.#vault, record)
		await this.ctx.storage.deleteAlarm()
		await this.ctx.storage.deleteAll()
	}
}
