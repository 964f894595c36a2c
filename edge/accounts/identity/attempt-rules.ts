import { DAY, HOUR, MINUTE } from '../../platform/clock.ts'
import type { Pace, Rule } from '../attempts/attempt-counter.ts'

export const loginByIp: Rule = { name: 'login ip', limit: 300, windowMs: 15 * MINUTE }
export const signupByIp: Rule = { name: 'signup ip', limit: 50, windowMs: HOUR }
export const codeByIp: Rule = { name: 'code ip', limit: 100, windowMs: HOUR }
/** Lower than the number of tries that a code allows, so that one network can't use up another person's code. */
export const codeByAccountAndSite: Rule = { name: 'code account site', limit: 5, windowMs: 10 * MINUTE }
export const codeByDevice: Rule = { name: 'code device', limit: 5, windowMs: 10 * MINUTE }
/** Shared by all known devices and open sessions of an account, because each sign-in adds one. */
export const codeByKnownDevices: Rule = { name: 'code devices', limit: 30, windowMs: DAY }
/** Limits attempts at codes that verify or change the user's own address. */
export const addressCodeByUser: Rule = { name: 'address code user', limit: 30, windowMs: DAY }
/** Limits guesses at authenticator codes: three of a million are valid at any time. */
export const totpByUser: Rule = { name: 'totp user', limit: 5, windowMs: 10 * MINUTE }
export const totpByUserAndDay: Rule = { name: 'totp user day', limit: 30, windowMs: DAY }
/**
 * Known devices and open sessions have their own counts, so that somebody with only the password can't lock the owner
 * out.
 */
export const totpByKnownDevice: Rule = { name: 'totp device', limit: 5, windowMs: 10 * MINUTE }
export const totpByKnownDevicesAndDay: Rule = { name: 'totp devices day', limit: 30, windowMs: DAY }
export const passwordByUser: Rule = { name: 'password user', limit: 10, windowMs: 15 * MINUTE }

export const loginByDevice: Pace = { name: 'login device', free: 10 }
export const loginByAccountAndSite: Pace = { name: 'login account site', free: 10 }
/** Shared by all unknown devices, in two queues: networks with few attempts, and the others. */
export const loginFromFreshSites: Pace = { name: 'login account fresh', free: 20 }
export const loginFromWornSites: Pace = { name: 'login account worn', free: 20 }
