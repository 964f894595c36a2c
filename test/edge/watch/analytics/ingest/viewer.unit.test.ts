import { describe, expect, test } from 'vitest'
import {
	chooseCollectionLevel,
	classifyAudience,
	describePlace,
} from '../../../../../edge/watch/analytics/ingest/viewer.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const iphone =
	'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'

/** A request from Cloudflare has `cf`; under npm start it has none. */
const requestFrom = (agent: string | null, cf?: { country?: unknown }): Request =>
	Object.assign(
		new Request('https://edge.test', { headers: agent === null ? {} : { 'user-agent': agent } }),
		{
			cf,
		},
	)
const placeWith = ({ agent = '', cf, referrer }: { agent?: string; cf?: object; referrer?: string }) =>
	describePlace(requestFrom(agent, cf), { referrer }, 'full')

describe('the device and the browser', () => {
	test.each([
		[
			`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36`,
			'desktop',
			'Chrome',
		],
		[
			`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/140.0.0.0 Safari/537.36`,
			'desktop',
			'Chrome',
		],
		[`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`, 'phone', 'Chrome'],
		[`${iphone} CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`, 'phone', 'Chrome'],
		[`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'tablet', 'Chrome'],
		[`${mac} ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'desktop', 'Edge'],
		[
			`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36 EdgA/140.0.0.0`,
			'phone',
			'Edge',
		],
		[`${iphone} Version/18.0 EdgiOS/140.0.0.0 Mobile/15E148 Safari/604.1`, 'phone', 'Edge'],
		[`${mac} ${webkit} Chrome/139.0.0.0 Safari/537.36 OPR/124.0.0.0`, 'desktop', 'Opera'],
		[
			`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/139.0.0.0 Mobile Safari/537.36 OPR/92.0.0.0`,
			'phone',
			'Opera',
		],
		[`${iphone} Version/18.0 Mobile/15E148 Safari/604.1 OPT/6.0.0`, 'phone', 'Opera'],
		[
			`Mozilla/5.0 (Linux; Android 14; SM-S928B) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
			'phone',
			'Samsung Internet',
		],
		[
			`Mozilla/5.0 (Linux; Android 14; SM-X910) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Safari/537.36`,
			'tablet',
			'Samsung Internet',
		],
		['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'desktop', 'Firefox'],
		['Mozilla/5.0 (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0', 'phone', 'Firefox'],
		['Mozilla/5.0 (Android 15; Tablet; rv:143.0) Gecko/143.0 Firefox/143.0', 'tablet', 'Firefox'],
		[`${iphone} FxiOS/143.0 Mobile/15E148 Safari/604.1`, 'phone', 'Firefox'],
		[`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`, 'desktop', 'Safari'],
		[`${iphone} Version/18.0 Mobile/15E148 Safari/604.1`, 'phone', 'Safari'],
		[
			'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
			'tablet',
			'Safari',
		],
		[`Mozilla/5.0 (SMART-TV; LINUX; Tizen 8.0) ${webkit} 120.0.6099.5/8.0 TV Safari/537.36`, 'tv', 'other'],
		[`Mozilla/5.0 (Web0S; Linux/SmartTV) ${webkit} Chrome/120.0.6099.270 Safari/537.36`, 'tv', 'Chrome'],
		[
			`Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2) ${webkit} Chrome/140.0.0.0 Safari/537.36`,
			'tv',
			'Chrome',
		],
		[
			`Mozilla/5.0 (Linux; Android 12.0; Build/STTL) ${webkit} Chrome/120.0.0.0 Safari/537.36 CrKey/1.56`,
			'tv',
			'Chrome',
		],
		[
			`Mozilla/5.0 (Linux; Android 9; AFTSSS) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`,
			'tv',
			'Chrome',
		],
		['AppleTV11,1/11.1', 'tv', 'other'],
		['AppleCoreMedia/1.0.0.22J580 (Apple TV; U; CPU OS 18_0 like Mac OS X; en_us)', 'tv', 'other'],
		['VLC/3.0.21 LibVLC/3.0.21', 'other', 'other'],
		['', 'other', 'other'],
	])('the user agent %j counts as the device %s and the browser %s', (agent, device, browser) => {
		expect(placeWith({ agent })).toMatchObject({ device, browser })
	})

	test('a request without a user agent counts as a program, with other as device and browser', () => {
		const request = requestFrom(null)
		expect(describePlace(request, {}, 'full')).toEqual({
			device: 'other',
			player: 'other',
			browser: 'other',
			country: null,
			referrer: null,
		})
		expect(classifyAudience({ caller: undefined, request, ip: '192.0.2.1' }, 'org')).toBe('bot')
	})
})

describe('the country', () => {
	test.each([
		['a country', { country: 'DE' }, 'DE'],
		['Tor', { country: 'T1' }, null],
		['an unknown country', { country: 'XX' }, null],
		['no country', {}, null],
		['no answer of Cloudflare', undefined, null],
		['anything but two capital letters', { country: 'Germany' }, null],
		['no text', { country: 49 }, null],
	])('the country is derived from the request with %s', (_, cf, country) => {
		expect(describePlace(requestFrom('', cf), {}, 'full').country).toBe(country)
	})

	test('the country is not read from a header, which the viewer could choose', () => {
		const request = new Request('https://edge.test', { headers: { 'cf-ipcountry': 'DE' } })
		expect(describePlace(request, {}, 'full').country).toBeNull()
	})
})

describe('the page around the player', () => {
	test.each([
		['https://blog.example/2037/11/secret-title?user=eve#part', 'blog.example'],
		['http://blog.example:8080/', 'blog.example'],
		['https://eve:password@blog.example/', 'blog.example'],
		['https://BLOG.example/', 'blog.example'],
		['https://müller.example/', 'xn--mller-kva.example'],
		['https://[2001:db8::1]:8443/', '[2001:db8::1]'],
		['javascript:alert("eve")', null],
		['data:text/html,eve@blog.example', null],
		['about:blank', null],
		['blog.example/page', null],
		['https://', null],
		['', null],
	])('the referrer %s is stored as %s', (referrer, stored) => {
		expect(placeWith({ referrer }).referrer).toBe(stored)
	})

	test('the referrer is stored with at most 100 characters of its host', () => {
		const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`
		expect(placeWith({ referrer: `https://${host}/${'c'.repeat(1_900)}` }).referrer).toBe(host.slice(0, 100))
	})
})

describe('what is collected', () => {
	const refusals = { 'DNT: 1': { dnt: '1' }, 'Sec-GPC: 1': { 'sec-gpc': '1' } }
	const others = { 'neither header': {}, 'DNT: 0': { dnt: '0' }, 'Sec-GPC: 0': { 'sec-gpc': '0' } }
	const all = ['full', 'anonymous', 'nothing'] as const
	const settings = (collect: (typeof all)[number], onDoNotTrack: (typeof all)[number]) => ({
		...{ collect, onDoNotTrack, showLiveCount: true },
	})

	test.each([
		['full', 'full', 'full'],
		['full', 'anonymous', 'anonymous'],
		['full', 'nothing', 'nothing'],
		['anonymous', 'full', 'anonymous'],
		['anonymous', 'anonymous', 'anonymous'],
		['anonymous', 'nothing', 'nothing'],
		['nothing', 'full', 'nothing'],
		['nothing', 'anonymous', 'nothing'],
		['nothing', 'nothing', 'nothing'],
	] as const)(
		'the level with collect: %s and onDoNotTrack: %s is %s for viewers who refuse tracking',
		(collect, onDoNotTrack, expected) => {
			for (const [name, headers] of Object.entries(refusals))
				expect(chooseCollectionLevel(settings(collect, onDoNotTrack), new Headers(headers)), name).toBe(
					expected,
				)
		},
	)

	test('the level for all other viewers is that of collect', () => {
		for (const collect of all)
			for (const onDoNotTrack of all)
				for (const [name, headers] of Object.entries(others))
					expect(chooseCollectionLevel(settings(collect, onDoNotTrack), new Headers(headers)), name).toBe(
						collect,
					)
	})

	test('anonymous viewers are recorded with the kind of device and the player alone', () => {
		const agent = `${mac} ${webkit} Chrome/140.0.0.0 Safari/537.36`
		expect(
			describePlace(
				requestFrom(agent, { country: 'DE' }),
				{ player: 'embed', referrer: 'https://a.example/' },
				'anonymous',
			),
		).toEqual({ device: 'desktop', player: 'embed', browser: 'unknown', country: null, referrer: null })
	})
})
