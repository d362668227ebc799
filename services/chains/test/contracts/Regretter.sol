// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Sends the coins it gets to the address that its caller names, and then undoes everything.
contract Regretter {
    fallback() external payable {
        address to = abi.decode(msg.data, (address));
        (bool succeeded,) = to.call{value: msg.value}("");
        succeeded;
        revert();
    }

    receive() external payable {
        revert();
    }
}
