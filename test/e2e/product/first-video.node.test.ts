/** @module-tag ffmpeg */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/lib/root.ts'
import { findPrograms } from '../../../transcoder-daemon/ffmpeg/binary.ts'
import { startPlayhouse } from '../../support/node/playhouse-process.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

/** Returns the commands of a section of README.md, for an installation at another address. */
async function readCommands(title: string, url: string): Promise<string> {
	const readme = await readFile(join(root, 'README.md'), 'utf8')
	const section = readme.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? ''
	const commands = /^```sh\n(.*?)^```$/ms.exec(section)?.[1] ?? ''
	expect(commands).toContain('B=http://127.0.0.1:8787\n')
	return commands.replace('B=http://127.0.0.1:8787\n', `B=${url}\n`)
}

async function runInShell(commands: string, cwd: string) {
	const shell = spawn('bash', ['-c', commands], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
	const closed = once(shell, 'close')
	const [output, errors] = await Promise.all([text(shell.stdout), text(shell.stderr)])
	const [code]: (number | null)[] = await closed
	return { code, output, errors }
}

test('the first video of README.md works as written, and stops with the sentence of the server', async () => {
	const folder = await temporaryDirectory()
	const { ffmpeg = '' } = (await findPrograms()) ?? {}
	const film = [
		'-f',
		'lavfi',
		'-i',
		'testsrc2=size=320x180:rate=25:duration=2',
		'-pix_fmt',
		'yuv420p',
		'film.mp4',
	]
	await execa(ffmpeg, ['-v', 'error', ...film], { cwd: folder })
	const playhouse = startPlayhouse({ DATA_DIR: join(folder, 'data'), PLAYHOUSE_CODECS: 'none' })
	const url = await playhouse.url
	const commands = await readCommands('Your first video', url)

	const first = await runInShell(commands, folder)
	expect(first).toMatchObject({ code: 0, errors: '' })
	expect(first.output).toMatch(/^Your API key: \S+$/m)
	expect(first.output).not.toMatch(/\bnull$/m)
	const [watch = '', manifest = ''] = first.output.trim().split('\n').slice(-2)
	expect(watch).toMatch(/\/watch\/\w+$/)
	expect(await (await fetch(watch)).text()).toContain('<title>Film')
	expect(await (await fetch(manifest)).text()).toMatch(/^#EXTM3U/)

	const again = await runInShell(commands, folder)
	expect(again.code).not.toBe(0)
	expect(again.output).toBe('')
	expect(again.errors).toMatch(/^curl: .* 409\n\{"error":"[^"]*already[^"]*"\}\n$/)
})
