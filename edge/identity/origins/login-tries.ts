import type { AttemptCounter } from '../../attempts/attempt-counter.ts'
import { networkOf, siteOf } from '../../platform/network/network.ts'
import {
	loginByAccountAndSite,
	loginByDevice,
	loginByIp,
	loginFromFreshSites,
	loginFromWornSites,
} from '../attempt-rules.ts'

/** So many tries of a site at an account count as those of somebody who mistypes; the ones after that queue apart. */
const FRESH_TRIES = 3

/**
 * Admits a try at a password, or refuses with 429 and how long to wait. A device that signed in to the account before
 * waits only for itself. Of strangers, whoever is over the limit of their own network stops there; what they may still
 * do slows down all strangers at the account, first those who tried often. Answers what a success takes back.
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
	await counter.count([{ rule: loginByIp, subject: networkOf(ip) }])
	const here = { rule: loginByAccountAndSite, subject: `${email} ${siteOf(ip)}` }
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
