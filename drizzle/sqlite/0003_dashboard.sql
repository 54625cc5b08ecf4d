CREATE TABLE `shared_results` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`url` text NOT NULL,
	`json` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shared_results_id_unique` ON `shared_results` (`id`);--> statement-breakpoint
CREATE INDEX `shared_results_user` ON `shared_results` (`user_id`);--> statement-breakpoint
CREATE INDEX `shared_results_expiry` ON `shared_results` (`expires_at`);--> statement-breakpoint
DROP INDEX `usage_alerts_once`;--> statement-breakpoint
ALTER TABLE `usage_alerts` ADD `key_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_alerts` ADD `key_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_alerts` ADD `key_expires_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `usage_alerts_once` ON `usage_alerts` (`user_id`,`month`,`threshold`,`key_id`,`key_expires_at`);--> statement-breakpoint
ALTER TABLE `request_log` ADD `details` text;--> statement-breakpoint
ALTER TABLE `tickets` ADD `invited_by` text;--> statement-breakpoint
CREATE INDEX `tickets_invitations` ON `tickets` (`invited_by`);