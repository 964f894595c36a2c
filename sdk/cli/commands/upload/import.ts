import { basename } from 'node:path'
import { call } from '../../../src/call.ts'
import { createAsset, getAsset } from '../../../src/generated/operations.ts'
import { waitUntilReady } from '../../../src/helpers/wait-until-ready.ts'
import { connect } from '../../frame/connect.ts'
import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'
import type { AssetFields } from './upload-file.ts'

type Options = { wait?: true; title?: string; collection?: string; visibility?: AssetFields['visibility'] }

export async function run({
	args: [source],
	options,
	terminal,
}: Invocation<Options, [string]>): Promise<void> {
	if (!URL.canParse(source))
		throw new CommandFailure('the address is not valid; use one like https://example.com/film.mp4', USAGE)
	const { client } = await connect(options, terminal.env)
	const title = options.title ?? chooseTitle(new URL(source))
	const { id } = await call(client, createAsset, {
		title,
		sourceUrl: source,
		process: 'whenUploaded',
		...(options.collection && { collectionId: options.collection }),
		...(options.visibility && { visibility: options.visibility }),
	})
	const created = await call(client, getAsset, { assetId: id })
	terminal.talk(`${title}: ${created.watchUrl}`)
	const asset = options.wait
		? await waitUntilReady(client, { assetId: id }, { signal: terminal.interruption })
		: created
	if (options.json) terminal.printJson({ id, status: asset.status, watchUrl: asset.watchUrl })
	else terminal.print(id)
}

/** Returns the name of the file, or that of the host. */
export function chooseTitle({ pathname, hostname }: URL): string {
	const name = basename(pathname) || hostname
	try {
		return decodeURIComponent(name).slice(0, 255)
	} catch {
		return name.slice(0, 255)
	}
}
