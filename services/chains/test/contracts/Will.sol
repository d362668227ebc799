// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Keeps the coins it gets until its caller names an address; then it ends and leaves all of them there.
contract Will {
    fallback() external payable {
        selfdestruct(payable(abi.decode(msg.data, (address))));
    }

    receive() external payable {}
}
