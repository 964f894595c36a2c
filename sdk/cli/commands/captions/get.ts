import { Readable } from 'node:stream'
import { call } from '../../../src/call.ts'
import { createPlaybackToken, getAsset, getPlayback } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import { NOT_FOUND } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import { fetchFile } from '../../frame/fetch-file.ts'
import type { Invocation } from '../../frame/invocation.ts'

type Options = { srt?: true }

export async function run({ args, options, terminal }: Invocation<Options, [string, string]>): Promise<void> {
	const [assetId, language] = args
	const { client } = await connect(options, terminal.env)
	const { playbackId, visibility } = await call(client, getAsset, { assetId })
	const isSigned = visibility === 'signed'
	const viewer = isSigned ? await call(client, createPlaybackToken, { assetId }) : undefined
	const { ai } = await call(client, getPlayback, { playbackId, ...(viewer && { token: viewer.token }) })
	const found = ai.subtitles.find((each) => each.language.toLowerCase() === language.toLowerCase())
	if (!found) {
		const languages = ai.subtitles.map((each) => each.language).join(', ')
		throw new CommandFailure(
			`the video has no captions in ${language}; ${languages ? `use ${languages}` : 'upload some with: playhouse captions put'}`,
			NOT_FOUND,
		)
	}
	const body = await fetchFile(options.srt ? found.srtUrl : found.url, terminal.interruption)
	for await (const chunk of Readable.fromWeb(body as never)) await terminal.writeBytes(chunk)
}
