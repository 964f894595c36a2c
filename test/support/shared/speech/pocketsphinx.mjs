/**
 * Makes pocketsphinx a speech engine: `pocketsphinx.mjs INPUT GRAMMAR [confined]` writes JSON. With a grammar of the words
 * that may come, it needs a fortieth of the time that it takes with all words of English. With `confined`, it refuses to
 * work unless it is in the sandbox.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [input = '', grammar = '', confined] = process.argv.slice(2)
if (confined) {
	if (readFileSync('/proc/1/comm', 'utf8').trim() !== 'bwrap') throw new Error('not in bubblewrap')
	const devices = [...readFileSync('/proc/net/dev', 'utf8').matchAll(/^ *([^ :|]+):/gm)].map(
		([, name]) => name,
	)
	if (devices.some((name) => name !== 'lo')) throw new Error(`a network is reachable: ${devices}`)
}
const sound = join(process.cwd(), 'sound.wav')
const run = (program, args) => {
	const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
	if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr?.slice(-500)}`)
	return stdout
}
run('ffmpeg', ['-loglevel', 'error', '-y', '-i', input, '-ar', '16000', '-ac', '1', sound])
const output = run('pocketsphinx_continuous', [
	...['-infile', sound, '-time', 'yes', '-logfn', '/dev/null'],
	...(grammar ? ['-jsgf', grammar] : []),
])
const segments = []
let words = []
for (const line of [...output.split('\n'), '']) {
	const [, word, start, end] = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d/.exec(line) ?? []
	// A line without times is the text of the next utterance.
	if (word === undefined) {
		const [first] = words
		const last = words.at(-1)
		if (first && last)
			segments.push({
				start: first.start,
				end: last.end,
				text: words.map((each) => each.word).join(' '),
				words,
			})
		words = []
	} else if (!/^[<([]/.test(word))
		words.push({ word: word.replace(/\(\d+\)$/, ''), start: Number(start), end: Number(end) })
}
process.stdout.write(JSON.stringify({ language: 'en', segments }))
