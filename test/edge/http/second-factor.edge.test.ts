import { expect, test } from 'vitest'
import { switchOrg } from '#schema/contract/accounts/identity.ts'
import { updateSecuritySettings } from '#schema/contract/accounts/security.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld } from '../../support/edge/world.ts'
import { setUpApp } from '../accounts/identity/second-factor/authenticator-app.ts'
import { askEverything } from './ask-everything.ts'

/** Operations of a signed-in user that concern one organization. Others of this kind concern the user alone. */
const sessionOperationsOfOrgs = ['removeMember']

/** Whether an organization that requires a second factor refuses people without one. */
const isRefused = ({ auth, id }: Operation): boolean =>
	['read', 'write', 'admin', 'org-admin-person', 'superadmin'].includes(auth) ||
	sessionOperationsOfOrgs.includes(id)

test('a member without a required second factor reaches no operation that concerns an organization', async () => {
	const world = await openWorld({ SUPERADMIN_SECOND_FACTOR: 'true' })
	const owner = await world.person()
	const member = await world.person()
	await setUpApp(world, owner)
	await world.ask(updateSecuritySettings, { body: { requireSecondFactor: true } }, owner)
	await world.deps(async ({ db }) => {
		await db.all(
			`insert into org_members values ('${owner.orgId}', ${member.userId}, 'owner', 0) returning 1`,
		)
		await db.all(`update users set is_superadmin = 1 where id = ${member.userId} returning 1`)
	})
	// The token names the organization that requires a second factor.
	const { token } = (await world.ask(switchOrg, { body: { orgId: owner.orgId } }, member)).ok.data
	const answers = await askEverything(world, owner.orgId, token)
	const isMissing = ({ code }: { code: string | null }) => code === 'second_factor_missing'
	for (const { op, ...answer } of answers) expect([op.id, isMissing(answer)]).toEqual([op.id, isRefused(op)])
	expect(answers.filter(isMissing).length).toBeGreaterThan(50)
})
