CREATE TABLE `device_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`device_code_hash` text NOT NULL,
	`user_code_hash` text NOT NULL,
	`client_id` text NOT NULL,
	`device_name` text NOT NULL,
	`scopes` text NOT NULL,
	`ip` text NOT NULL,
	`country` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`interval_seconds` integer NOT NULL,
	`last_polled_at` integer,
	`state` text DEFAULT 'pending' NOT NULL,
	`approved_by_user_id` integer,
	`approver_token_version` integer,
	`org_id` text,
	`granted_scopes` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_requests_device_code` ON `device_requests` (`device_code_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `device_requests_user_code` ON `device_requests` (`user_code_hash`);--> statement-breakpoint
CREATE INDEX `device_requests_approver` ON `device_requests` (`approved_by_user_id`);--> statement-breakpoint
CREATE INDEX `device_requests_org` ON `device_requests` (`org_id`);--> statement-breakpoint
CREATE INDEX `device_requests_created` ON `device_requests` (`created_at`);