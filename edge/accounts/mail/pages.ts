import { renderCardPage } from '../../http/html/card-page.ts'
import type { Choice } from './refusals.ts'

/** The form posts to the page's own URL, which carries the token. It needs no script and no session. */
const layOut = (title: string, lead: string, buttons: string): string =>
	renderCardPage({
		title,
		heading: title,
		lead,
		content: `<form method="post" class="step stack">
${buttons}
</form>`,
	})

const button = (choice: Choice, label: string) =>
	`<button type="submit" name="choice" value="${choice}">${label}</button>`

const refuse = button('refuse', 'No more invitations')
const report = button('report', 'Report this invitation')

export const renderChoicePage = (isReport: boolean): string =>
	isReport
		? layOut(
				'Report this invitation?',
				'Reporting cancels the invitation, stops all further invitations to your address, and limits how many the sender can send. Nothing has changed yet.',
				report,
			)
		: layOut(
				'No more invitations?',
				'Nobody will be able to send invitations to your address through Playhouse. You still get codes and notices about your own account. Nothing has changed yet.',
				`${refuse}\n${report}`,
			)

const undo = button('allow', 'Allow invitations again')

export function renderDonePage(choice: Choice): string {
	if (choice === 'allow')
		return layOut('You will get invitations again', 'You can change your mind here at any time.', refuse)
	if (choice === 'report')
		return layOut(
			'Thank you',
			'The invitation is cancelled, and your address gets no more invitations.',
			undo,
		)
	return layOut('Done', 'Your address gets no more invitations.', undo)
}
