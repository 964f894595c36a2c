/** Returns the range in which providers reassign addresses to a person: an IPv4 /24 or an IPv6 /48. */
export function toProviderRange(ip: string): string {
	const site = toSubscriberRange(ip)
	return site.includes(':') ? site : site.replace(/\.\d+$/, '.0/24')
}

/**
 * Returns the network that counts as one caller: an IPv4 address or an IPv6 /64, all of which belongs to its holder.
 */
export const toCallerNetwork = (ip: string): string => prefixOf(ip, 4)

/** Returns an IPv4 address or an IPv6 /48, the largest range of one subscriber. */
export const toSubscriberRange = (ip: string): string => prefixOf(ip, 3)

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
