import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { installDebianPackage } from '../../../scripts/lib/debian.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'
import { needs } from '../../support/shared/needs.ts'

const onDebian = needs({ 'root on Debian': process.getuid?.() === 0 && existsSync('/etc/debian_version') })

/** Puts an apt-get before the real one, which notes its arguments. */
async function fakeAptGet(script: string) {
	const folder = await temporaryDirectory()
	const calls = join(folder, 'calls')
	await writeFile(join(folder, 'apt-get'), `#!/bin/sh\necho "$*" >> ${calls}\n${script}\n`, { mode: 0o755 })
	const lines: string[] = []
	return {
		folder,
		lines,
		env: { PATH: `${folder}${delimiter}${process.env.PATH}` },
		output: { print: (line: string) => void lines.push(line), silentMs: 20 },
		readCalls: async () => (await readFile(calls, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean),
	}
}

test('prints what is installed and why before apt-get runs', onDebian, async () => {
	const { env, lines, output, readCalls } = await fakeAptGet('echo Hit:1 http://deb.example')
	expect(await installDebianPackage('ffmpeg', 'transcode videos', env, { ...output, silentMs: 60_000 })).toBe(
		true,
	)
	expect(lines).toEqual([
		'Installing ffmpeg with apt-get, to transcode videos. Set PLAYHOUSE_INSTALL=false to install nothing.',
	])
	expect(await readCalls()).toEqual([
		'--quiet update',
		'--quiet install --yes --no-install-recommends ffmpeg',
	])
})

test('apt-get does not run when the operator declines', onDebian, async () => {
	const { env, lines, output, readCalls } = await fakeAptGet('')
	const declined = { ...env, PLAYHOUSE_INSTALL: 'false' }
	expect(await installDebianPackage('ffmpeg', 'transcode videos', declined, output)).toBe(false)
	expect([await readCalls(), lines]).toEqual([[], []])
})

test(
	'prints what to do while apt-get waits for the network, and which package to install by hand',
	onDebian,
	async () => {
		const { env, folder, lines, output } = await fakeAptGet(
			'until [ -e "$(dirname "$0")/answer" ]; do sleep 0.01; done; exit 1',
		)
		const installed = installDebianPackage('ffmpeg', 'transcode videos', env, output)
		await expect
			.poll(() => lines.at(-1))
			.toMatch(/^nothing has arrived from the network yet; apt-get needs the network/)
		await writeFile(join(folder, 'answer'), 'end\n')
		expect(await installed).toBe(false)
		expect(lines.slice(1)).toEqual([
			expect.stringContaining('check the connection and the proxy of apt, or stop with Ctrl-C'),
			'apt-get could not install ffmpeg; install it yourself: apt install ffmpeg',
		])
	},
)
