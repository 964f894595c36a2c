/** @module-tag d1 */
import { expect, test } from 'vitest'
import { toCallerNetwork, toSubscriberRange } from '../../../../edge/platform/network/network.ts'
import { isSameNetwork } from '../../../../edge/platform/network/same-network.ts'

test('an IPv6 /64 counts as one network in every notation of its addresses', () => {
	const cases: [ip: string, network: string][] = [
		['192.0.2.7', '192.0.2.7'],
		['::ffff:192.0.2.7', '192.0.2.7'],
		['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
		['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
		['2001:db8:1:2::', '2001:db8:1:2::/64'],
		['2001:db8::5', '2001:db8:0:0::/64'],
		['::1', '0:0:0:0::/64'],
		['fe80::1%eth0', 'fe80:0:0:0::/64'],
		['unknown', 'unknown'],
	]
	for (const [ip, network] of cases) expect(toCallerNetwork(ip), ip).toBe(network)
})

test('an IPv6 /48 counts as one site', () => {
	expect(toSubscriberRange('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1::/48')
	expect(toSubscriberRange('2001:db8:1:ffff::1')).toBe('2001:db8:1::/48')
	expect(toSubscriberRange('2001:db8:2:2::1')).toBe('2001:db8:2::/48')
	expect(toSubscriberRange('::ffff:192.0.2.7')).toBe('192.0.2.7')
	expect(toSubscriberRange('192.0.2.7')).toBe('192.0.2.7')
})

test('two addresses are known to share a network only if it is public', () => {
	const cases: [one: string, other: string, expected: boolean | null][] = [
		['8.8.8.8', '8.8.8.200', true],
		['8.8.8.8', '8.8.9.8', false],
		['2606:4700:1:2::5', '2606:4700:1:3::6', true],
		['2606:4700:1::5', '2606:4700:2::5', false],
		['192.168.1.2', '192.168.1.3', null],
		['127.0.0.1', '127.0.0.1', null],
		['10.0.0.1', '8.8.8.8', false],
		['unknown', 'unknown', null],
		['unknown', '8.8.8.8', null],
		['', '', null],
	]
	for (const [one, other, expected] of cases)
		expect(isSameNetwork(one, other), `${one} ${other}`).toBe(expected)
})
