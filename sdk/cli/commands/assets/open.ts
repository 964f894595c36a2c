import { spawn } from 'node:child_process'
import { call } from '../../../src/call.ts'
import { getAsset } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
	darwin: ['open'],
	win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export async function run({
	args: [assetId],
	options,
	terminal,
}: Invocation<object, [string]>): Promise<void> {
	const { client } = await connect(options, terminal.env)
	const { watchUrl } = await call(client, getAsset, { assetId })
	if (options.json) terminal.printJson({ watchUrl })
	else terminal.print(watchUrl)
	// A program that reads the address opens nothing.
	if (!terminal.isShown || !/^https?:\/\//.test(watchUrl)) return
	const [program, ...args] = openers[process.platform] ?? ['xdg-open']
	spawn(program, [...args, watchUrl], { stdio: 'ignore', detached: true })
		.on('error', () => terminal.talk('no browser was found; open the address yourself'))
		.unref()
}
