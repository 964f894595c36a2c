import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename, parse } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { call } from '../../../src/call.ts'
import { downloadAsset } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import { CommandFailure } from '../../frame/failure.ts'
import { fetchFile } from '../../frame/fetch-file.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { ProgressLine } from '../upload/progress-line.ts'

type Options = { output?: string; quality?: string }

export async function run({
	args: [assetId],
	options,
	terminal,
}: Invocation<Options, [string]>): Promise<void> {
	const { client } = await connect(options, terminal.env)
	const { quality } = options
	const file = await call(client, downloadAsset, { assetId, ...(quality && { quality }) })
	const output = options.output ?? safeName(file.filename)
	if (!options.output && (await stat(output).catch(() => undefined)))
		throw new CommandFailure(`${output} exists; name another file with --output`)
	const signal = terminal.interruption
	const body = Readable.fromWeb((await fetchFile(file.downloadUrl, signal)) as never)
	if (output === '-') {
		for await (const chunk of body) await terminal.writeBytes(chunk)
		return
	}
	const line = new ProgressLine(terminal)
	let done = 0
	body.on('data', (chunk: Uint8Array) => {
		done += chunk.length
		line.show(output, done, Math.max(done, file.fileSizeBytes))
	})
	const partial = `${output}.${randomBytes(4).toString('hex')}.part`
	try {
		await pipeline(body, createWriteStream(partial, { flags: 'wx' }), { signal })
		if (done !== file.fileSizeBytes)
			throw new CommandFailure(`the download ended after ${done} of ${file.fileSizeBytes} bytes; try again`)
		await rename(partial, output)
	} catch (error) {
		await rm(partial, { force: true })
		throw error
	} finally {
		line.clear()
	}
	if (options.json) terminal.printJson({ file: output, bytes: done })
	else terminal.print(output)
}

/** Systems limit a name to 255 bytes; the partial file needs some of them. */
const MAX_NAME_BYTES = 200

/** Returns a name without a path, because a title may contain one, that no program takes for an option. */
export function safeName(name: string): string {
	const safe = basename(name.replaceAll('\\', '/'))
		.replace(/[^\p{L}\p{N}\p{M} ._()-]/gu, '_')
		.replace(/^[.-]+/, '')
	const { ext, name: stem } = parse(safe)
	let short = stem
	while (Buffer.byteLength(short + ext) > MAX_NAME_BYTES && short !== '')
		short = [...short].slice(0, -1).join('')
	return short + ext || 'video'
}
