import { trimEnd } from '../kit/trim-end.ts'

/**
 * Decides which URLs this installation may call for users. The edge checks a URL before storing it. The daemon, which
 * fetches imported sources, checks again at each redirect and for each IP address that a host name resolves to.
 */

/** The parts of a URL as the WHATWG parser returns them, which also normalizes the host: `0x7f.1` becomes `127.0.0.1`. */
export type UrlParts = {
	protocol: string
	username: string
	password: string
	hostname: string
	port: string
}

const PORTS = ['', '80', '443', '8080', '8443']
const PRIVATE_SUFFIXES = [
	...[
		'localhost',
		'localdomain',
		'local',
		'internal',
		'intranet',
		'private',
		'lan',
		'home',
		'corp',
		'home.arpa',
	],
	// Names inside a Kubernetes cluster, and names that no public name server resolves (RFC 2606, RFC 7686).
	...['svc', 'test', 'invalid', 'onion', 'alt'],
]

/** What an installation allows. `privateHosts`: also hosts that are not public, over http and on every port. */
export type AllowedUrls = { http: boolean; privateHosts?: boolean }

/** Returns the problem of a URL as a message for people, or null. Does not resolve the host name. */
export function findUrlProblem(url: UrlParts, allowed: AllowedUrls): string | null {
	const mayBePrivate = Boolean(allowed.privateHosts) && !hasPublicHost(url)
	const mayUseHttp = allowed.http || mayBePrivate
	if (url.protocol !== 'https:' && !(mayUseHttp && url.protocol === 'http:'))
		return mayUseHttp ? 'must begin with https:// or http://' : 'must begin with https://'
	if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
	if (mayBePrivate) return null
	if (!PORTS.includes(url.port)) return 'must use port 80, 443, 8080 or 8443'
	return hasPublicHost(url) ? null : 'must have a public host'
}

/** Whether a host is public by its form. What its name resolves to is not known here. */
export function hasPublicHost({ hostname }: UrlParts): boolean {
	const host = trimEnd(hostname.toLowerCase(), '.')
	const isIpAddress = host.startsWith('[') || /^[\d.]+$/.test(host)
	return isIpAddress ? isPublicAddress(host.replace(/^\[|\]$/g, '')) : isPublicName(host)
}

/** Like `urlProblem`, for a machine. Allows http, because the edge has already decided whether http is allowed. */
export const findSourceUrlProblem = (url: UrlParts): string | null => findUrlProblem(url, { http: true })

const isPublicName = (host: string) =>
	host.includes('.') &&
	!host.includes('..') &&
	!PRIVATE_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`))

/** Checks whether an IP address belongs to the public Internet. False for a text that is not an IP address. */
export function isPublicAddress(text: string): boolean {
	const v4 = parseIpv4(text)
	if (v4 !== null) return isPublicIpv4(v4)
	const v6 = parseIpv6(text)
	if (v6 === null) return false
	// ::ffff:a.b.c.d represents an IPv4 address.
	if (v6.slice(0, 5).every((group) => group === 0) && v6[5] === 0xffff)
		return isPublicIpv4((v6[6] ?? 0) * 0x10000 + (v6[7] ?? 0))
	const [first = 0, second = 0] = v6
	// Only 2000::/3 is allocated, and some parts of it are tunnels or reserved.
	if (first < 0x2000 || first > 0x3fff) return false
	if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false
	if (first === 0x2002) return false
	return !(first === 0x3fff && second < 0x1000)
}

/** The networks that IANA lists as not globally reachable. */
const privateNetworks: [network: string, prefixBits: number][] = [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
	['172.16.0.0', 12],
	['192.0.0.0', 24],
	['192.0.2.0', 24],
	['192.88.99.0', 24],
	['192.168.0.0', 16],
	['198.18.0.0', 15],
	['198.51.100.0', 24],
	['203.0.113.0', 24],
	['224.0.0.0', 3],
]

const isPublicIpv4 = (address: number): boolean =>
	!privateNetworks.some(([network, prefixBits]) => {
		const size = 2 ** (32 - prefixBits)
		return Math.floor(address / size) === Math.floor((parseIpv4(network) ?? 0) / size)
	})

function parseIpv4(text: string): number | null {
	if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return null
	const bytes = text.split('.').map(Number)
	return bytes.some((byte) => byte > 255) ? null : bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

function parseIpv6(text: string): number[] | null {
	const [, before = '', v4] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? []
	if (v4 !== undefined) {
		const address = parseIpv4(v4)
		if (address === null) return null
		const tail = [Math.floor(address / 0x10000), address % 0x10000].map((n) => n.toString(16)).join(':')
		return parseIpv6(before + tail)
	}
	const halves = text.split('::')
	if (halves.length > 2) return null
	const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
	const written = groups.flat()
	if (!written.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null
	if (halves.length === 1 ? written.length !== 8 : written.length > 7) return null
	const zeros = Array.from({ length: 8 - written.length }, () => '0')
	return [...(groups[0] ?? []), ...zeros, ...(groups[1] ?? [])].map((group) => Number.parseInt(group, 16))
}
