import { toCallerNetwork, toSubscriberRange } from '../../../platform/network/network.ts'
import type { AttemptCounter } from '../../attempts/attempt-counter.ts'
import {
	loginByAccountAndSite,
	loginByDevice,
	loginByIp,
	loginFromFreshSites,
	loginFromWornSites,
} from '../attempt-rules.ts'

/** Up to this many attempts look like typing errors. Later ones from the same site wait in a separate queue. */
const FRESH_TRIES = 3

/**
 * Admits a password attempt, or throws 429 with the time to wait. Returns a function that takes the counts back after
 * a success.
 *
 * A known device waits only for its own attempts. An unknown device first passes the limits of its network. Attempts
 * beyond that slow down all unknown devices at the account, most of all those that tried often.
 */
export async function admitLogin(
	counter: AttemptCounter,
	email: string,
	ip: string,
	deviceId: string | null,
): Promise<() => Promise<void>> {
	if (deviceId !== null) {
		const own = { rule: loginByDevice, subject: `${email} ${deviceId}` }
		await counter.pace(own)
		return () => counter.forgive([own])
	}
	await counter.count([{ rule: loginByIp, subject: toCallerNetwork(ip) }])
	const here = { rule: loginByAccountAndSite, subject: `${email} ${toSubscriberRange(ip)}` }
	const tries = await counter.pace(here)
	const everywhere = { rule: tries <= FRESH_TRIES ? loginFromFreshSites : loginFromWornSites, subject: email }
	try {
		await counter.pace(everywhere)
	} catch (error) {
		// Nothing was compared, so this doesn't count as an attempt.
		await counter.takeBack(here)
		throw error
	}
	return async () => {
		await counter.forgive([here])
		await counter.takeBack(everywhere)
	}
}
