import type { Client } from '@libsql/client'
import { srtKey } from '../../../edge/ai/transcripts/keys.ts'
import { BEFORE_ALL_ROWS } from '../../../edge/operations/backups/format/rowids.ts'
import { type ExpectedColumn, expectedColumns } from './expected-columns.ts'

const ROWS_AT_ONCE = 500

export type ExpectedObject = Pick<ExpectedColumn, 'kind' | 'bucket' | 'contents'> & {
	key: string
	/** Whose object it is, such as `asset ast_…`. */
	owner: string
	sizeBytes: number | null
}

/** Returns every object that a database refers to. Holds one page of rows in memory. */
export async function* listExpectedObjects(client: Client): AsyncGenerator<ExpectedObject> {
	for (const column of expectedColumns) yield* objectsOf(client, column)
}

async function* objectsOf(client: Client, column: ExpectedColumn): AsyncGenerator<ExpectedObject> {
	const { table, key, id, sizeBytes = 'null', kind, bucket, contents, owner = 'asset' } = column
	const sql = `select rowid, ${id}, ${key}, ${sizeBytes} from ${table} where rowid > ? and ${key} is not null order by rowid limit ${ROWS_AT_ONCE}`
	for (let after = BEFORE_ALL_ROWS; ; ) {
		const { rows } = await client.execute({ sql, args: [after] })
		for (const row of rows) {
			const [rowid, ownerId, objectKey, size] = Array.from(row as ArrayLike<unknown>)
			const object = { kind, bucket, key: String(objectKey), owner: `${owner} ${ownerId}` }
			yield { ...object, sizeBytes: size === null ? null : Number(size), ...(contents && { contents }) }
			after = Number(rowid)
		}
		if (rows.length < ROWS_AT_ONCE) return
	}
}

/** Returns the objects to which an object refers; `text` is its content. */
export function findObjectsInFile({ contents, ...object }: ExpectedObject, text: string): ExpectedObject[] {
	const ofKeys = (keys: Iterable<string>) =>
		Array.from(new Set(keys), (key) => ({
			...object,
			key,
			sizeBytes: null,
			...(contents === 'master playlist' && { contents: 'playlist' as const }),
		}))
	switch (contents) {
		case 'master playlist':
		case 'playlist': {
			const attributes = [...text.matchAll(/URI="([^"]+)"/g)].map(([, uri = '']) => uri)
			const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
			return ofKeys([...attributes, ...lines].map((uri) => keyBeside(object.key, uri)))
		}
		case 'storyboard':
			return ofKeys(
				[...text.matchAll(/^([^\s#]+)#xywh=/gm)].map(([, uri = '']) => keyBeside(object.key, uri)),
			)
		case 'subtitles':
			return ofKeys([srtKey(object.key)])
		default:
			return []
	}
}

/** Returns the key for a relative URL in an object. */
function keyBeside(key: string, url: string): string {
	try {
		return decodeURIComponent(new URL(url, `https://bucket.invalid/${key}`).pathname.slice(1))
	} catch {
		// The file is damaged. The object that it names is reported as missing.
		return url
	}
}
