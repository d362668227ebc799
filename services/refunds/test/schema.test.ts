import { expect, test } from "@jest/globals";
import { getConstraint } from "@pay/database";
import {
  describeWithPostgres,
  expectKeysOfProjects,
  expectNoDrift,
  testDatabase,
} from "@pay/testing";

describeWithPostgres("the database of refunds", () => {
  test("its migrations yield its schema", () => expectNoDrift("services/refunds"));

  test("its keys begin with the project", () =>
    expectKeysOfProjects("services/refunds", {
      wallet_credits: "one number of one payment, read with the payment",
    }));

  test("refuses by itself to reserve more than was received, or to free more than was reserved", async () => {
    const { pool, drop } = await testDatabase("services/refunds");
    await pool.query(`insert into refund_balances
      (payment_id, project_id, mode, amount, cap, reserved, completed, refunds, declared)
      values ('pay_1', 'proj_1', 1, 100, 110, 90, 40, 2, false)`);
    function change(sums: string) {
      return pool.query(`update refund_balances set ${sums}`).then(() => "done", getConstraint);
    }

    expect(await change("reserved = reserved + 21")).toBe("refund_balances_reserved_bounded");
    expect(await change("completed = completed + 51")).toBe("refund_balances_completed_bounded");
    expect(await change("reserved = reserved - 51")).toBe("refund_balances_completed_bounded");
    expect(await change("reserved = reserved + 20")).toBe("done");
    await drop();
  });
});
