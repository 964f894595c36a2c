import type { UploadedPart } from '../../platform/object-storage.ts'
import { PART_BYTES } from '../part-bytes.ts'

/** A value in this storage has at most 2 MB. */
const ROW_BYTES = 1024 ** 2
/** Rows shorter than this take in what follows: thousands of tiny chunks must not become thousands of rows. */
const SMALL_ROW_BYTES = 64 * 1024

export type UploadRecord = {
	id: string
	/** Where it will be stored. */
	key: string
	contentType: string
	/** As it was sent. */
	metadata: string
	/** null while the length is not known. */
	lengthBytes: number | null
	maxBytes: number
	expiresAt: number
	multipartId: string | null
	/** Bytes that are there: `floor(offset / PART_BYTES)` parts in the bucket, and the rest here. */
	offset: number
	/** Of the whole object, once it was put together. */
	etag: string | null
	/** The asset has it as its source. */
	isFinished: boolean
}

/** What is known of the one upload of an object, in its own storage; and those bytes that make no whole part yet. */
export class UploadLedger {
	readonly #storage: DurableObjectStorage

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage
	}

	read(): UploadRecord | null {
		const { sql } = this.#storage
		// An object that was asked about something it never had stays empty.
		const tables = sql.exec("select 1 from sqlite_master where name = 'upload'").toArray()
		if (tables.length === 0) return null
		const [row] = sql.exec<{ record: string }>('select record from upload').toArray()
		return row ? JSON.parse(row.record) : null
	}

	begin(record: UploadRecord): void {
		this.#atOnce((sql) => {
			sql.exec('create table if not exists upload (one integer primary key, record text not null)')
			sql.exec('create table if not exists parts (number integer primary key, etag text not null)')
			sql.exec('create table if not exists tail (start integer primary key, bytes blob not null)')
			this.#write(record)
		})
	}

	change(record: UploadRecord, change: Partial<UploadRecord>): UploadRecord {
		const changed = { ...record, ...change }
		this.#write(changed)
		return changed
	}

	/** Whole parts are in the bucket; what was kept here of the first of them is not needed any more. */
	addParts(record: UploadRecord, parts: readonly UploadedPart[]): UploadRecord {
		const last = parts.at(-1)
		if (!last) return record
		return this.#atOnce((sql) => {
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

	/** Keeps bytes that follow those which are there. */
	addTail(record: UploadRecord, bytes: Uint8Array): UploadRecord {
		if (bytes.byteLength === 0) return record
		return this.#atOnce((sql) => {
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

	/** Puts the kept bytes at the beginning of a part. */
	copyTail(into: Uint8Array): void {
		const rows = this.#storage.sql.exec<{ start: number; bytes: ArrayBuffer }>(
			'select start, bytes from tail order by start',
		)
		for (const { start, bytes } of rows) into.set(new Uint8Array(bytes), start)
	}

	/** The object was put together: how is of no interest any more. */
	stored(record: UploadRecord, etag: string): UploadRecord {
		return this.#atOnce((sql) => {
			sql.exec('delete from tail')
			sql.exec('delete from parts')
			return this.change(record, { etag })
		})
	}

	/** Both in one step, so that either all of it was received or nothing. */
	addAll(record: UploadRecord, parts: readonly UploadedPart[], tail: Uint8Array): UploadRecord {
		return this.#atOnce(() => this.addTail(this.addParts(record, parts), tail))
	}

	#write(record: UploadRecord): void {
		this.#storage.sql.exec('insert or replace into upload values (1, ?)', JSON.stringify(record))
	}

	#atOnce<T>(act: (sql: SqlStorage) => T): T {
		return this.#storage.transactionSync(() => act(this.#storage.sql))
	}
}
