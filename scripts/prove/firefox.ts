import { existsSync } from 'node:fs'
import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Plays a video in Firefox: the embed page must play, seek, show captions, change the quality and reach the end, without
an error on the console, a violation of its policy or a request to another host. Firefox is controlled by WebDriver
BiDi. It needs libavcodec for H.264. On Debian: apt-get install firefox-esr libavcodec-extra

  npm run prove:firefox -- [options]

  --path FILE         the program (default: FIREFOX_PATH, or firefox-esr or firefox in /usr/bin)
  --screenshot FILE   writes a PNG of the player
  --help              show this help
`

const { values } = parseOptions({
	options: {
		path: { type: 'string' },
		screenshot: { type: 'string' },
		help: { type: 'boolean', short: 'h' },
	},
})
const installed = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync)
const program = values.path ?? process.env.FIREFOX_PATH ?? installed
if (values.help) {
	console.log(help)
} else if (program === undefined) {
	console.error('Firefox is not installed; see --help.')
	process.exitCode = 2
} else {
	await runLongTests({
		files: ['test/edge/web/player/firefox.node.test.ts'],
		options: ['--silent=false'],
		env: { FIREFOX_PATH: program, ...(values.screenshot && { FIREFOX_SCREENSHOT: values.screenshot }) },
	})
}
