import {
	confirmEmailChange,
	requestEmailChange,
	sendVerification,
	verifyEmail,
} from '#schema/contract/accounts/email-addresses.ts'
import {
	changePassword,
	getMe,
	login,
	reauthenticate,
	sendCode,
	signup,
	switchOrg,
	updateMe,
	verifyCode,
	verifySignupCode,
} from '#schema/contract/accounts/identity.ts'
import { getPreferences, updatePreferences } from '#schema/contract/accounts/preferences.ts'
import * as contract from '#schema/contract/accounts/sessions.ts'
import { clearCookie } from '../../http/own-pages/session-cookie.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import * as address from './addresses/address.ts'
import * as identity from './identity.ts'
import { impersonationRoutes } from './impersonation/routes.ts'
import { findMe, renameMe } from './me/me.ts'
import { changePreferences, findPreferences } from './me/preferences.ts'
import { readOrigin } from './origins/origin.ts'
import { refreshToken } from './renewal.ts'
import * as sessions from './sessions.ts'

export const identityRoutes: Route[] = [
	serve(signup, async (input) => ({
		data: await identity.signUp(input.deps, input.body, readOrigin(input)),
	})),

	serve(login, async (input) => {
		const { email, password } = input.body
		return { data: await identity.logIn(input.deps, email, password, readOrigin(input)) }
	}),

	serve(sendCode, async (input) => {
		await identity.sendCode(input.deps, input.body.email, readOrigin(input))
		return { data: { sent: true as const } }
	}),

	serve(verifyCode, async (input) => {
		const { email, code } = input.body
		return { data: await identity.verifyCode(input.deps, email, code, readOrigin(input)) }
	}),

	serve(verifySignupCode, async (input) => ({
		data: await identity.verifySignupCode(input.deps, input.body, readOrigin(input)),
	})),

	serve(sendVerification, async ({ deps, caller, ip }) => {
		await address.resendVerification(deps, caller, ip)
		return { data: { sent: true as const } }
	}),

	serve(verifyEmail, async ({ deps, caller, body }) => ({
		data: await address.verifyEmail(deps, caller, body.code),
	})),

	serve(requestEmailChange, async ({ deps, caller, body, ip }) => {
		await address.requestEmailChange(deps, caller, body, ip)
		return { data: { sent: true as const } }
	}),

	serve(confirmEmailChange, async ({ deps, caller, body }) => ({
		data: await address.confirmEmailChange(deps, caller, body),
	})),

	serve(switchOrg, async ({ deps, caller, body }) => ({
		data: await identity.switchOrg(deps, caller, body.orgId),
	})),

	serve(getMe, async ({ deps, caller }) => ({ data: await findMe(deps, caller) })),

	serve(getPreferences, async ({ deps, caller }) => ({ data: await findPreferences(deps, caller.userId) })),

	serve(updatePreferences, async ({ deps, caller, body }) => ({
		data: await changePreferences(deps, caller.userId, body),
	})),

	serve(updateMe, async ({ deps, caller, body }) => ({ data: await renameMe(deps, caller, body.name) })),

	serve(changePassword, async (input) => ({
		data: await identity.changePassword(input.deps, input.caller, input.body, readOrigin(input)),
	})),

	serve(reauthenticate, async (input) => {
		const until = await identity.reauthenticate(input.deps, input.caller, input.body, readOrigin(input))
		return { data: { provedUntil: toIso(until) } }
	}),

	serve(contract.refreshToken, async ({ deps, request }) => ({ data: await refreshToken(deps, request) })),

	serve(contract.listSessions, async ({ deps, caller }) => ({
		data: await sessions.listSessions(deps, caller),
	})),

	serve(contract.revokeSession, async ({ deps, caller, params }) => {
		await sessions.revokeSession(deps, caller, params.sessionId)
		return { data: { id: params.sessionId, revoked: true as const } }
	}),

	serve(contract.revokeOtherSessions, async ({ deps, caller }) => ({
		data: { revoked: await sessions.revokeOtherSessions(deps, caller) },
	})),

	serve(contract.logout, async ({ deps, caller, headers }) => {
		await sessions.logOut(deps, caller)
		if (deps.cookie) clearCookie(headers, deps.cookie.kind)
		return { data: { loggedOut: true as const } }
	}),

	...impersonationRoutes,
]
