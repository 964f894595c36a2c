import { expect, test } from 'vitest'
import { type Bindings, parseEnv } from '../../../../edge/platform/env.ts'
import { findOutboundUrlProblem } from '../../../../edge/platform/network/outbound-url.ts'

const OWN = 'must not point to this installation'

const problemOf = (
	text: string,
	variables: Record<string, string> = {},
	requestOrigin: string | null = null,
) => {
	const env = parseEnv({ DB: {}, ENVIRONMENT: 'development', ...variables } as unknown as Bindings)
	return findOutboundUrlProblem({ env, requestOrigin }, text, { privateHosts: true })
}

const forms = [
	...['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '127.9.8.7', '2130706433', '0x7f.1', '0.0.0.0'],
	...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:0.0.0.0]'],
]

test.each(forms)(
	'refuses URLs of its own address on this machine in every notation, not on another port: %s',
	(host) => {
		const at = (port: number) => `http://${host}:${port}/hook`
		for (const own of ['http://127.0.0.1:8787', 'http://localhost:8787', 'http://[::1]:8787']) {
			// At creation, the request says where the installation is; at delivery, the configuration does.
			expect([problemOf(at(8787), {}, own), problemOf(at(8788), {}, own)]).toEqual([OWN, null])
			const variables = { FRONTEND_URL: own }
			expect([problemOf(at(8787), variables), problemOf(at(8788), variables)]).toEqual([OWN, null])
		}
		const proxied = { PUBLIC_URL: 'https://video.example.com', LISTENING_PORT: '8787' }
		expect([problemOf(at(8787), proxied), problemOf(at(8788), proxied)]).toEqual([OWN, null])
	},
)

test('refuses URLs of its own address in a private network on its own port only', () => {
	const variables = { PUBLIC_URL: 'http://192.168.1.5' }
	expect(problemOf('http://192.168.1.5:80/', variables)).toBe(OWN)
	expect(problemOf('http://192.168.1.5:8080/', variables)).toBeNull()
	expect(problemOf('http://192.168.1.6/', variables)).toBeNull()
})

test('refuses URLs of its public hosts on every port', () => {
	const variables = { PUBLIC_URL: 'https://video.example.com', COMMUNITY_BASE_DOMAIN: 'example.org' }
	for (const url of [
		...['https://video.example.com/', 'https://video.example.com:8443/', 'http://VIDEO.example.com.:8080/'],
		...['https://example.org/', 'https://club.example.org:8443/'],
	])
		expect(problemOf(url, variables), url).toBe(OWN)
	expect(problemOf('https://hooks.example.com/', variables)).toBeNull()
})
