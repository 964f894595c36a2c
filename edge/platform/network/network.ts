/** The network that an address belongs to as people would see it, which hands out a new address every so often. */
export function neighborhoodOf(ip: string): string {
	const site = siteOf(ip)
	return site.includes(':') ? site : site.replace(/\.\d+$/, '.0/24')
}

/**
 * What counts as one caller when callers are counted by address: an IPv4 address, or the /64 of an IPv6 one, since
 * whoever has one of its addresses has all of them.
 */
export const networkOf = (ip: string): string => prefixOf(ip, 4)

/** An IPv4 address, or the /48 of an IPv6 one: as much as one subscriber is given, with 65,536 networks in it. */
export const siteOf = (ip: string): string => prefixOf(ip, 3)

function prefixOf(ip: string, length: number): string {
	if (!ip.includes(':')) return ip
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
	if (mapped?.[1]) return mapped[1]
	const [head = '', tail] = ip.toLowerCase().split('%')[0]?.split('::') ?? []
	const before = head ? head.split(':') : []
	const after = tail ? tail.split(':') : []
	const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
	const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
	return `${groups
		.slice(0, length)
		.map((group) => group.replace(/^0+(?=.)/, ''))
		.join(':')}::/${length * 16}`
}
