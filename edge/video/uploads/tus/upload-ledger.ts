import type { UploadedPart } from '../../../platform/storage/bucket.ts'
import type { Piece } from '../chunks/pieces.ts'
import { PART_BYTES } from '../part-bytes.ts'

/** Durable Object storage limits a value to 2 MB. */
const ROW_BYTES = 1024 ** 2
/** Enough for 5 GiB in pieces of 256 KiB. The oldest are dropped first. */
const MAX_PIECES = 20_480
/** Shorter rows are extended, so that thousands of tiny chunks don't become thousands of rows. */
const SMALL_ROW_BYTES = 64 * 1024

export type UploadRecord = {
	id: string
	/** The key of the stored object. */
	key: string
	contentType: string
	/** The `Upload-Metadata` header as sent. */
	metadata: string
	/** null while the length is deferred. */
	lengthBytes: number | null
	maxBytes: number
	expiresAt: number
	multipartId: string | null
	/** Received bytes: `floor(offset / PART_BYTES)` parts are in the bucket, the rest is in the ledger. */
	offset: number
	/** The etag of the assembled object. */
	etag: string | null
	/** True once the asset has this object as its source. */
	isFinished: boolean
}

/** The record of the one upload of a Durable Object, in its own storage, with the bytes of the incomplete part. */
export class UploadLedger {
	readonly #storage: DurableObjectStorage

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage
	}

	read(): UploadRecord | null {
		const { sql } = this.#storage
		// Reading must not create tables: an object without an upload stays empty.
		const tables = sql.exec("select 1 from sqlite_master where name = 'upload'").toArray()
		if (tables.length === 0) return null
		const [row] = sql.exec<{ record: string }>('select record from upload').toArray()
		return row ? JSON.parse(row.record) : null
	}

	begin(record: UploadRecord): void {
		this.#inTransaction((sql) => {
			sql.exec('create table if not exists upload (one integer primary key, record text not null)')
			sql.exec('create table if not exists parts (number integer primary key, etag text not null)')
			sql.exec('create table if not exists tail (start integer primary key, bytes blob not null)')
			sql.exec(
				`create table if not exists pieces (
					start integer primary key, stop integer not null, digest text not null
				)`,
			)
			this.#write(record)
		})
	}

	change(record: UploadRecord, change: Partial<UploadRecord>): UploadRecord {
		const changed = { ...record, ...change }
		this.#write(changed)
		return changed
	}

	/** Records parts that are in the bucket, and deletes the tail that the first of them includes. */
	addParts(record: UploadRecord, parts: readonly UploadedPart[]): UploadRecord {
		const last = parts.at(-1)
		if (!last) return record
		return this.#inTransaction((sql) => {
			for (const { partNumber, etag } of parts)
				sql.exec('insert or replace into parts values (?, ?)', partNumber, etag)
			sql.exec('delete from tail')
			return this.change(record, { offset: last.partNumber * PART_BYTES })
		})
	}

	parts(): UploadedPart[] {
		return this.#storage.sql
			.exec<{ number: number; etag: string }>('select number, etag from parts order by number')
			.toArray()
			.map(({ number, etag }) => ({ partNumber: number, etag }))
	}

	/** Appends bytes to the tail. */
	addTail(record: UploadRecord, bytes: Uint8Array): UploadRecord {
		if (bytes.byteLength === 0) return record
		return this.#inTransaction((sql) => {
			let start = record.offset % PART_BYTES
			let rest = bytes
			const [last] = sql
				.exec<{ start: number; bytes: ArrayBuffer }>(
					'select start, bytes from tail where length(bytes) < ? order by start desc limit 1',
					SMALL_ROW_BYTES,
				)
				.toArray()
			if (last && last.start + last.bytes.byteLength === start) {
				rest = new Uint8Array(last.bytes.byteLength + bytes.byteLength)
				rest.set(new Uint8Array(last.bytes))
				rest.set(bytes, last.bytes.byteLength)
				start = last.start
			}
			for (let at = 0; at < rest.byteLength; at += ROW_BYTES)
				sql.exec('insert or replace into tail values (?, ?)', start + at, rest.slice(at, at + ROW_BYTES))
			return this.change(record, { offset: record.offset + bytes.byteLength })
		})
	}

	/** Copies the tail to the beginning of a part. */
	copyTail(into: Uint8Array): void {
		const rows = this.#storage.sql.exec<{ start: number; bytes: ArrayBuffer }>(
			'select start, bytes from tail order by start',
		)
		for (const { start, bytes } of rows) into.set(new Uint8Array(bytes), start)
	}

	/** Records a piece of an upload in chunks. It counts once the offset has passed it. */
	addPiece({ start, stop, digest }: Piece): void {
		this.#inTransaction((sql) => {
			sql.exec('insert or replace into pieces values (?, ?, ?)', start, stop, digest)
			sql.exec(
				'delete from pieces where start <= (select start from pieces order by start desc limit 1 offset ?)',
				MAX_PIECES,
			)
		})
	}

	/** Deletes the pieces of bytes that were not stored. */
	dropPieces(offset: number): void {
		this.#storage.sql.exec('delete from pieces where stop > ?', offset)
	}

	/** Returns the pieces that overlap a range. */
	pieces(start: number, stop: number): Piece[] {
		return this.#storage.sql
			.exec<Piece>(
				'select start, stop, digest from pieces where stop > ? and start < ? order by start',
				start,
				stop,
			)
			.toArray()
	}

	/** Records the etag of the assembled object and deletes parts and tail. */
	recordStored(record: UploadRecord, etag: string): UploadRecord {
		return this.#inTransaction((sql) => {
			sql.exec('delete from tail')
			sql.exec('delete from parts')
			return this.change(record, { etag })
		})
	}

	/** Adds parts and tail in one transaction, so that either everything was received or nothing. */
	addAll(record: UploadRecord, parts: readonly UploadedPart[], tail: Uint8Array): UploadRecord {
		return this.#inTransaction(() => this.addTail(this.addParts(record, parts), tail))
	}

	#write(record: UploadRecord): void {
		this.#storage.sql.exec('insert or replace into upload values (1, ?)', JSON.stringify(record))
	}

	#inTransaction<T>(act: (sql: SqlStorage) => T): T {
		return this.#storage.transactionSync(() => act(this.#storage.sql))
	}
}
