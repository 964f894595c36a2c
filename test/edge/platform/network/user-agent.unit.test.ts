import { expect, test } from 'vitest'
import { describeDevice, readUserAgent } from '../../../../edge/platform/network/user-agent.ts'

const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
	[`${android} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
	[
		'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
		'Safari on iOS',
	],
	[`${android} Something/1.0`, 'Android'],
	['Mozilla/5.0 (compatible)', null],
	['curl/8.14.1', 'curl'],
	['playhouse-cli/2.0 (Linux)', 'playhouse-cli on Linux'],
	['<script>', null],
	['', null],
])('a device that calls itself %j is shown as %j', (agent, name) => {
	expect(describeDevice(agent)).toBe(name)
})

test('no more than 256 characters of User-Agent are read, however long the header is', () => {
	const longest = readUserAgent(new Headers({ 'user-agent': `Mozilla/5.0 ${'Version/ '.repeat(6_700)}` }))
	expect(longest).toHaveLength(256)
	expect(readUserAgent(new Headers())).toBe('')
})
