import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { call } from '../../../src/call.ts'
import { setSubtitles } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecords } from '../../frame/records.ts'

export async function run({
	args,
	options,
	terminal,
}: Invocation<object, [string, string, string]>): Promise<void> {
	const [assetId, lang, path] = args
	const { client } = await connect(options, terminal.env)
	const bytes = path === '-' ? await buffer(terminal.stdin) : await readFile(path)
	const { subtitles } = await call(client, setSubtitles, { assetId, lang, body: new Uint8Array(bytes) })
	await printRecords(terminal, options, subtitles, ['language', 'source', 'name'])
}
