import { createClient } from '@libsql/client'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { expect, test } from 'vitest'
import { readMigrations } from '../../../scripts/lib/migrations.ts'
import { startLibsqlServer } from '../../support/libsql/server.ts'

type Database = AsyncDisposable & {
	run(statements: readonly string[]): Promise<unknown>
	select(sql: string): Promise<object[]>
}

async function openD1(): Promise<Database> {
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({ modules: true, script: 'export default {}', d1Databases: ['DB'] }),
	)
	const db = await miniflare.getD1Database('DB')
	return {
		run: (statements) => db.batch(statements.map((sql) => db.prepare(sql))),
		select: async (sql) => (await db.prepare(sql).all<object>()).results,
		[Symbol.asyncDispose]: () => miniflare.dispose(),
	}
}

async function openLibsql(): Promise<Database> {
	const server = await startLibsqlServer()
	const client = createClient({ url: server.url })
	return {
		run: (statements) => client.batch([...statements], 'write'),
		select: async (sql) => (await client.execute(sql)).rows.map((row) => ({ ...row })),
		async [Symbol.asyncDispose]() {
			client.close()
			await server[Symbol.asyncDispose]()
		},
	}
}

const asset = (id: string) =>
	`insert into assets (id, org_id, title, status, playback_id, metadata, public_settings, created_at, updated_at)
	values ('${id}', 'org_1', 'Film', 'ready', 'playback-of-${id}', '{}', '{}', 1, 1)`

const rendition = (assetId: string, position: number, width: number, height: number, codec = 'h264') =>
	`insert into renditions (asset_id, rung_id, job_id, position, quality, width, height, bitrate_kbps, codec)
	values ('${assetId}', '${codec}-${height}', 'job_1', ${position}, '${height}p', ${width}, ${height}, 1000, '${codec}')`

test.each([
	['D1', openD1],
	['libSQL', openLibsql],
])('existing assets on %s get the size of their largest rendition', async (_, open) => {
	await using database = await open()
	const migrations = await readMigrations()
	const at = migrations.findIndex(({ name }) => name === '0002_player-record.sql')
	const before = migrations.slice(0, at).flatMap(({ statements }) => statements)
	await database.run([
		...before,
		...[asset('landscape'), rendition('landscape', 0, 1280, 720), rendition('landscape', 1, 640, 360)],
		// Another codec may have a larger rendition than the first one in order.
		...[asset('portrait'), rendition('portrait', 0, 360, 640), rendition('portrait', 1, 720, 1280, 'hevc')],
		...[asset('audio-only'), rendition('deleted', 0, 1920, 1080)],
	])
	await database.run(migrations[at]?.statements ?? [])
	expect(await database.select('select id, width, height, placeholder from assets order by id')).toEqual([
		{ id: 'audio-only', width: null, height: null, placeholder: null },
		{ id: 'landscape', width: 1280, height: 720, placeholder: null },
		{ id: 'portrait', width: 720, height: 1280, placeholder: null },
	])
})
