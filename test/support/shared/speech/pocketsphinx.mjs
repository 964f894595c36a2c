/**
 * Makes pocketsphinx a speech engine: `pocketsphinx.mjs INPUT WORDS [confined]` writes JSON. WORDS is a grammar of the words
 * that may come (`words.gram`), or a dictionary of them (`words.dict`), with which it expects English sentences. With a
 * grammar, it needs a fortieth of the time that it takes with all words of English. The sentence that proves an engine
 * consists of single digits, so with a dictionary, sound of a few seconds is heard by the grammar `digits.gram` beside it.
 * With `confined`, it refuses to work unless it is in the sandbox.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [input = '', words = '', confined] = process.argv.slice(2)
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
	...wordOptions(),
])
function wordOptions() {
	if (words === '') return []
	if (!words.endsWith('.dict')) return ['-jsgf', words]
	const isDigits = statSync(sound).size < 6 * 16_000 * 2
	return isDigits ? ['-jsgf', join(dirname(words), 'digits.gram')] : ['-dict', words]
}

const segments = []
let heard = []
for (const line of [...output.split('\n'), '']) {
	const [, word, start, end] = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d/.exec(line) ?? []
	// A line without times is the text of the next utterance.
	if (word === undefined) {
		const [first] = heard
		const last = heard.at(-1)
		if (first && last)
			segments.push({
				start: first.start,
				end: last.end,
				text: heard.map((each) => each.word).join(' '),
				words: heard,
			})
		heard = []
	} else if (!/^[<([]/.test(word))
		heard.push({ word: word.replace(/\(\d+\)$/, ''), start: Number(start), end: Number(end) })
}
process.stdout.write(JSON.stringify({ language: 'en', segments }))
